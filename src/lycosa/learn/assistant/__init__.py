"""An assistant: a language model behind an OpenAI-compatible API that answers questions about pages."""
