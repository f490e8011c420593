"""Function words by language: too common to tell anything about a topic. Lower case, unstemmed."""

from __future__ import annotations

STOP_WORDS: dict[str, frozenset[str]] = {
    "english": frozenset(
        """
        a about above across after again against all almost along already also although always am among an and
        another any anyone anything are around as at away be became because become been before behind being
        below between both but by can cannot could couldn did didn do does doesn doing don done down during each
        either else enough even ever every everyone everything few for from further get gets had hadn has hasn
        have haven having he hence her here hers herself him himself his how however i if in indeed instead into
        is isn it its itself just least less let like ll many may maybe me might mine more most mostly much must
        my myself neither never no nobody none nor not nothing now of off often on once one only onto or other
        others otherwise our ours ourselves out over own per perhaps quite rather re same shall she should
        shouldn since so some someone something sometimes somewhere still such than that the their theirs them
        themselves then there therefore these they this those though through thus to together too toward towards
        under until up upon us ve very via was wasn we well were weren what whatever when where whether which
        while who whoever whole whom whose why will with within without won would wouldn yet you your yours
        yourself yourselves
        """.split()
    ),
    "german": frozenset(
        """
        ab aber alle allem allen aller alles als also am an andere anderem anderen anderer anderes auch auf aus
        außer bei beide beiden beim bereits bin bis bist da dabei dadurch dafür dagegen daher damit danach dann
        daran darauf darf darin darüber darum darunter das dass daß davon davor dazu dein deine deinem deinen
        deiner dem den denen denn dennoch der deren des deshalb dessen die dies diese diesem diesen dieser dieses
        dir doch dort du durch dürfen eben ein eine einem einen einer eines einige einigen einmal er es etwa
        etwas euch euer eure für ganz gar gegen gewesen hab habe haben hat hatte hatten her hier hin hinter ich
        ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins ist ja je jede jedem jeden jeder jedes
        jedoch jene jenem jenen jener kann kein keine keinem keinen keiner können könnte man manche mehr mein
        meine meinem meinen meiner mich mir mit muss müssen muß nach nachdem nein nicht nichts noch nun nur ob
        oder ohne schon sehr seid sein seine seinem seinen seiner seit selbst sich sie sind so sobald sogar
        solche soll sollen sollte sondern sonst soweit sowie über um und uns unser unsere unserem unseren unter
        viel viele vielen vom von vor während war waren warum was weder weil weiter welche welchem welchen
        welcher wenig wenn wer werde werden wie wieder will wir wird wo wohl wollen worden wurde wurden zu zum
        zur zwar zwischen
        """.split()
    ),
    "french": frozenset(
        """
        afin ai ainsi alors après as au aucun aucune aura aussi autre autres aux avaient avait avant avec avoir
        ayant bien car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez ci comme comment
        contre dans de depuis des deux devant doit donc dont du elle elles en encore entre est et étaient était
        étant été être eu eux fait faire fois font fut hors il ils je jusqu jusque la là le les lesquelles
        lesquels leur leurs lors lorsque lui ma mais me même mêmes mes moi moins mon ne ni non nos notre nous on
        ont or ou où par parce parmi pas pendant peu peut peuvent plus plusieurs pour pourquoi près puis qu quand
        que quel quelle quelles quelque quelques quels qui quoi sa sans se selon sera seront ses si sien soi soit
        son sont sous souvent suis sur ta tandis tant te tes toi ton toujours tous tout toute toutes très trop tu
        un une vers voici voilà vos votre vous
        """.split()
    ),
    "spanish": frozenset(
        """
        a acá ahí al algo alguien algún alguna algunas alguno algunos allá allí ambos ante antes aquel aquella
        aquellas aquello aquellos aquí así aún aunque bajo bien cada casi como cómo con contra cual cuál cuales
        cualquier cuando cuándo cuanto de debe del desde donde dónde dos durante e el él ella ellas ellos en
        entonces entre era eran eres es esa esas ese eso esos esta está estaba estado están estar estas este esto
        estos estoy fue fueron ha había habían haber hacia han hasta hay he incluso la las le les lo los luego
        más me mediante menos mi mis mismo misma mismos mucho muchos muy nada ni ningún ninguna ninguno no nos
        nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué quien quién
        quienes se sea según ser será si sí sido siempre sin sino sobre solo sólo son soy su sus tal también
        tampoco tan tanto te tengo ti tiene tienen toda todas todavía todo todos tras tu tus tú u un una unas uno
        unos usted ustedes va vosotros y ya yo
        """.split()
    ),
    "italian": frozenset(
        """
        a abbia abbiamo ad agli ai al alcuna alcune alcuni alcuno all alla alle allo allora altra altre altri
        altro anche ancora avere aveva avevano ben c che chi ci ciascuno ciò cioè circa co coi col come con
        contro così cui d da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro
        deve di dopo dove due durante e è ed egli era erano essa esse essere essi esso fa fino fra fu fuori
        furono già gli ha hai hanno ho i il in infatti inoltre invece io l la le lei li lo loro lui ma mai me
        meno mentre mi mia mie miei mio molti molto ne né negli nei nel nell nella nelle nello nessuno niente no
        noi non nostra nostri nostro o od ogni ognuno oltre oppure ora per perché però più poi poiché presso
        prima proprio può qual quale quali qualche qualcuno quando quanto quasi quel quella quelle quelli quello
        questa queste questi questo qui quindi sarà se sé sempre senza si sia siamo siano sono sopra sotto sta
        stata state stati stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi tale tali tanto te ti
        tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno vi voi vostra vostro
        """.split()
    ),
    "portuguese": frozenset(
        """
        a à ainda além algo alguém algum alguma algumas alguns ali ambos ante antes ao aos apenas após aquela
        aquelas aquele aqueles aqui aquilo as às assim até através bem cada com como contra contudo cuja cujo da
        das de dela delas dele deles depois desde dessa desse desta deste deve do dois dos durante e é ela elas
        ele eles em embora enquanto entre então era eram essa essas esse esses esta está estão estar estas estava
        este estes eu foi foram for fosse há havia isso isto já la lá lhe lhes lo logo mais mas me mediante
        menos mesma mesmo meu meus minha minhas muito muitos na não nas nem nenhum nenhuma nessa nesse nesta
        neste no nos nós nossa nosso num numa nunca o onde ora os ou outra outras outro outros para pela pelas
        pelo pelos perante pode pois por porém porque portanto pouco pra qual quais qualquer quando quanto quase
        que quem se seja sem sempre sendo ser será seu seus si sido só sob sobre sou sua suas tal também tampouco
        tanto tão te tem têm tendo ter teu teve tinha toda todas todavia todo todos tu tua tudo um uma umas uns
        você vocês vos
        """.split()
    ),
    "dutch": frozenset(
        """
        aan aangezien achter al alle alleen alles als altijd andere anderen ben bent bij binnen boven buiten daar
        daarna daarom dan dat de der deze die dit doch doen door doordat dus echter een eens eerder elk elke en
        er erg even geen geweest haar had hadden heb hebben heeft hem hen het hier hij hoe hoewel hun iemand iets
        ieder iedere ik in indien is ja je jij jou jouw jullie kan kon konden kunnen maar maken me meer meest men
        met mij mijn misschien moet moeten mogen na naar nadat naast net niemand niet niets nog nooit nu of om
        omdat onder ons onze ook op opnieuw over per reeds sinds slechts soms steeds te tegen ten ter terwijl
        toch toen tot tussen u uit uw vaak van vanaf vanwege veel via voor vooral waar waarom wanneer want waren
        was wat we weer wel welke werd werden wie wij wil wilde word worden wordt zal ze zelf zelfs zich zij zijn
        zo zoals zonder zou zouden zowel zullen
        """.split()
    ),
}
