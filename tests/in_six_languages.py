"""Small pages about owls, and about railways, in six languages, written for the tests."""

from __future__ import annotations

from typing import NamedTuple


class Spoken(NamedTuple):
    """A language with its keywords, three texts about owls, two about railways, and a word to search for."""

    name: str
    code: str
    keywords: tuple[str, ...]
    owls: tuple[str, str, str]
    railways: tuple[str, str]
    word: str


LANGUAGES = (
    Spoken(
        "german",
        "de",
        ("Eule", "Eulen"),
        (
            "Die Eule ist ein nächtlicher Greifvogel. Eulen jagen lautlos in der Nacht und fressen vor allem Mäuse. "
            "Das Gefieder der Eule dämpft jedes Geräusch.",
            "Schleiereulen brüten in Scheunen. Die Eule legt vier bis sieben Eier, und die jungen Eulen bleiben zwei "
            "Monate im Nest. Nachts jagt sie Mäuse.",
            "Der Waldkauz ist eine Eule der Wälder. Wie alle Eulen hört er sehr gut und jagt Mäuse in der Nacht.",
        ),
        (
            "Die Eisenbahn verbindet die Städte des Landes. Jeder Zug hält am Bahnhof, und die Fahrkarten gibt es am "
            "Schalter.",
            "Der neue Bahnhof wurde gestern eröffnet. Die Züge fahren jetzt alle zehn Minuten in die Stadt.",
        ),
        "Gefieder",
    ),
    Spoken(
        "french",
        "fr",
        ("chouette", "hibou"),
        (
            "La chouette est un rapace nocturne. Le hibou et la chouette chassent les souris la nuit, sans aucun bruit. "
            "Le plumage de la chouette étouffe le son.",
            "La chouette effraie niche dans les granges. Elle pond quatre à sept œufs, et les jeunes chouettes restent "
            "deux mois au nid. La nuit, elle chasse.",
            "Le hibou grand-duc vit dans les rochers. Comme toutes les chouettes, ce rapace nocturne entend très bien.",
        ),
        (
            "Le chemin de fer relie les villes du pays. Chaque train s'arrête à la gare, et les billets se prennent au "
            "guichet.",
            "La nouvelle gare a été inaugurée hier. Les trains partent maintenant toutes les dix minutes vers la ville.",
        ),
        "plumage",
    ),
    Spoken(
        "spanish",
        "es",
        ("búho", "lechuza"),
        (
            "El búho es un ave rapaz nocturna. El búho y la lechuza cazan ratones de noche, sin hacer ruido. El plumaje "
            "del búho apaga el sonido.",
            "La lechuza anida en los graneros. La lechuza pone de cuatro a siete huevos, y los jóvenes búhos se quedan "
            "dos meses en el nido.",
            "El búho real vive entre las rocas. Como todas las lechuzas, esta ave rapaz nocturna oye muy bien.",
        ),
        (
            "El ferrocarril une las ciudades del país. Cada tren para en la estación, y los billetes se compran en la "
            "taquilla.",
            "La nueva estación se inauguró ayer. Los trenes salen ahora cada diez minutos hacia la ciudad.",
        ),
        "plumaje",
    ),
    Spoken(
        "japanese",
        "ja",
        ("フクロウ", "梟"),
        (
            "フクロウは夜行性の猛禽類です。フクロウは夜に音もなく飛び、ネズミを捕まえて食べます。フクロウの羽毛は音を消します。",
            "メンフクロウは納屋に巣を作ります。フクロウは四個から七個の卵を産み、若いフクロウは二か月ほど巣に残ります。",
            "森に住むフクロウは耳がとても良く、夜の猛禽類としてネズミを狩ります。梟とも書きます。",
        ),
        (
            "鉄道は国の都市を結んでいます。すべての列車は駅に停まり、切符は窓口で買うことができます。",
            "新しい駅が昨日開業しました。電車は今、十分ごとに市内へ出発しています。",
        ),
        "羽毛",
    ),
    Spoken(
        "chinese",
        "zh",
        ("猫头鹰",),
        (
            "猫头鹰是夜行性的猛禽。猫头鹰在夜里无声地飞行，捕食老鼠。猫头鹰的羽毛能够消除声音。",
            "仓鸮在谷仓里筑巢。这种猫头鹰产四到七枚卵，年幼的猫头鹰在巢里停留两个月，夜里捕食老鼠。",
            "生活在森林里的猫头鹰听觉很好，像所有的猛禽一样，猫头鹰在夜里狩猎。",
        ),
        (
            "铁路连接着全国的城市。每一列火车都在车站停靠，车票可以在窗口购买。",
            "新的车站昨天开通了。火车现在每十分钟开往市区一次。",
        ),
        "羽毛",
    ),
    Spoken(
        "arabic",
        "ar",
        ("البومة", "البوم"),
        (
            "البومة طائر جارح ليلي. تطير البومة بصمت في الليل وتصطاد الفئران. ريش البومة يخمد كل صوت.",
            "تعشش البومة البيضاء في الحظائر. تضع البومة من أربع إلى سبع بيضات، ويبقى صغار البوم شهرين في العش.",
            "يعيش البوم في الغابات ويسمع جيدا. مثل كل طائر جارح ليلي تصطاد البومة الفئران في الليل.",
        ),
        (
            "تربط السكك الحديدية مدن البلاد. يتوقف كل قطار في المحطة، وتباع التذاكر في الشباك.",
            "افتتحت المحطة الجديدة أمس. تنطلق القطارات الآن كل عشر دقائق إلى المدينة.",
        ),
        "ريش",
    ),
)
