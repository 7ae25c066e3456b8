"""What is said of samples and people in Italian: quality, who causes the errors, and groups."""

from __future__ import annotations

SAMPLES = {
    "section.discard": "Qualità",
    "section.people": "Persone",
    "section.groups": "Gruppi di persone",
    # errors left when low quality is discarded
    "discard.words": (
        "Le comparazioni di qualità più bassa sono scartate per prime, secondo {quality}; la soglia resta quella "
        "dell'EER, {threshold}. Una qualità che non dice nulla degli errori li lascia come sono."
    ),
    "discard.chart": (
        "Le linee tratteggiate sono l'errore minimo possibile, se ogni comparazione scartata fosse un errore."
    ),
    "discard.lower": "la più bassa tra {columns}",
    "discard.raised": "Scartare alza {kind}: in {columns} un numero basso è buono? Allora va cambiato di segno.",
    "discard.title": "Errori che restano scartando la qualità bassa",
    "discard.summary": "{kind}: {start} con tutte le comparazioni, {end} scartandone {share}.",
    "discard.x": "Scartate, dalla qualità più bassa",
    "discard.y": "Tasso d'errore delle restanti",
    "discard.best": "il meglio possibile",
    "discard.step": "qualità da {quality}: {errors}",
    "discard.caption": "Che cosa resta di ogni errore",
    "discard.error": "errore",
    "discard.discarded": "scartate",
    "discard.rate": "tasso",
    "discard.kept": "delle restanti",
    "discard.quality": "qualità da",
    "discard.areas": "Area sotto la curva fino a {limit} di scarto: più bassa è meglio",
    "discard.measured": "misurata",
    "discard.difference": "differenza",
    "discard.random": "a caso",
    # who causes the errors
    "people.words": (
        "Gli errori non toccano tutti allo stesso modo. Le persone sono messe in ordine, quindi capre, agnelli e "
        "lupi ci sono in ogni prova: se significa qualcosa lo dicono i test."
    ),
    "people.chart": (
        "Ogni punto è una persona: verso destra la media dei punteggi con sé stessa, verso l'alto quella con gli "
        "altri. Chi sta nel quarto estremo di entrambe ha un colore, gli altri sono grigi."
    ),
    "people.title": "Ogni persona secondo due medie",
    "people.summary": "{people} persone. Estreme in due modi: {found}.",
    "people.similarity": "similarità",
    "people.distance": "distanza",
    "people.own": "Media di {score} con sé stessi",
    "people.others": "Media di {score} con gli altri",
    "people.behind": "altri",
    "people.shaded": "in ombra: il quarto estremo in entrambi i modi",
    "people.unseen": "Persone non disegnate, perché senza media finita: {n}.",
    "people.some": (
        "Di moltissime persone ne sono disegnate solo alcune, a distanza regolare; le tabelle le contano tutte."
    ),
    "people.animal": "animale",
    "people.people": "persone",
    "people.share": "parte degli errori",
    "people.differ": "le persone differiscono?",
    "people.expected": "per caso",
    "people.more": "più che per caso?",
    "people.who": "chi",
    "people.yes": "sì",
    "people.no": "no",
    "people.spreads": "Estreme in un modo: l'estremo {share} delle persone ciascuno (soglia dell'EER {threshold})",
    "people.spreads.note": (
        "Il test di Kruskal e Wallis prende le comparazioni come indipendenti. Un po' più della loro parte degli "
        "errori è fortuna, perché le persone sono scelte proprio dai punteggi che sbagliano."
    ),
    "people.corners": "Estreme in due modi: il quarto estremo di entrambe le medie",
    "people.corners.note": (
        "La probabilità esatta di tante persone se le due medie non hanno nulla a che fare tra loro, corretta per "
        "quattro angoli (Holm)."
    ),
    "people.names": "I {n} più estremi di ciascuno",
    "people.names.note": "Tra parentesi il punteggio medio che li rende tali.",
    "people.goat": "capre",
    "people.lamb": "agnelli",
    "people.wolf": "lupi",
    "people.dove": "colombe",
    "people.chameleon": "camaleonti",
    "people.phantom": "fantasmi",
    "people.worm": "vermi",
    "people.goat.words": "difficili da riconoscere",
    "people.lamb.words": "facili da imitare",
    "people.wolf.words": "bravi a imitare",
    "people.dove.words": "simili a sé, diversi dagli altri: nessun problema",
    "people.chameleon.words": "simili a tutti",
    "people.phantom.words": "simili a nessuno",
    "people.worm.words": "diversi da sé, simili agli altri: entrambi gli errori",
    "people.goat.errors": "dei falsi rifiuti",
    "people.lamb.errors": "delle false accettazioni",
    "people.wolf.errors": "delle false accettazioni",
    "advice.few_people": "{n} persone hanno punteggi con sé stesse e con altre; ne servono almeno {least}",
    "advice.few_tries": "meno di due persone con almeno {least} comparazioni",
    "advice.equal_scores": "tutti i punteggi sono uguali",
    # errors by group
    "groups.words": (
        "Tutti i gruppi sono giudicati alla stessa soglia. FNMR è quello delle persone di un gruppo; FMR quello di "
        "due persone di un gruppo, o di una persona per ciascuno di due gruppi. Dove gli intervalli si sovrappongono "
        "molto una differenza può essere fortuna."
    ),
    "groups.title": "{kind} per gruppo, {point} (soglia {threshold})",
    "groups.some": "{title}: i {n} più alti di {all}",
    "groups.summary": "{kind} di ogni gruppo: {rates}.",
    "groups.axis": "{kind}; linee: intervalli al {level} %",
    "groups.caption": "Errori per gruppo, {point} (soglia {threshold})",
    "groups.group": "gruppo",
    "groups.error": "errore",
    "groups.people": "persone",
    "groups.rate": "tasso",
    "groups.pair": "{one} con {other}",
    "groups.naive": "* comparazioni prese come indipendenti: troppo poche sono state tenute con le loro persone.",
    "groups.no_interval": "Nessun intervallo: {reason}.",
    "groups.hidden": "Coppie di gruppi con FMR più basso che non sono elencate qui: {n}.",
    "groups.across": "{kind} di ogni coppia di gruppi, {point} (soglia {threshold})",
    "groups.apart": "Quanto distano i gruppi",
    "groups.point": "punto operativo",
    "groups.highest": "più alto",
    "groups.lowest": "più basso",
    "groups.ratio": "rapporto",
    "groups.mean": "sulla media",
    "groups.apart.note": (
        "Rapporto: il tasso più alto diviso per il più basso; sulla media: diviso per la media geometrica di tutti. "
        "FMR è preso entro i gruppi. Il solo caso li rende entrambi maggiori di 1."
    ),
    "groups.no_ratio": "{kind} a {point} non ha rapporto: {reason}.",
    "groups.left_out": "{kind} non ha comparazioni in {groups}.",
    "advice.spotless": "nessun errore visto in {groups}; un rapporto ne richiede uno in ogni gruppo",
    "advice.one_subject": "una persona sola non dice nulla delle altre",
    "advice.no_strangers": (
        "nessuna coppia di comparazioni tra quattro persone diverse, quindi non si sa come differiscano altre"
    ),
    "advice.few_groups": "meno di due gruppi hanno comparazioni",
}
