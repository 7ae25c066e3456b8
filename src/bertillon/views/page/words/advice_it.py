"""The sentences and words of the advice layer in Italian."""

from __future__ import annotations

ADVICE = {
    "advice.eer": "EER {eer} %: {band}.",
    "advice.eer_open": "EERopen {eer} %: {band}.",
    "advice.unknown": "EER non noto.",
    "advice.unknown_open": "EERopen non noto.",
    "advice.degradation": (
        "EERopen {opened} % è {times} volte l'EER di verifica, {eer} %: {word} (da {low} a {high} volte)."
    ),
    "advice.degradation_unknown": (
        "EERopen non si può confrontare con l'EER di verifica: uno dei due è zero o non noto."
    ),
    "advice.frr": "FPIR {fpir}: FNIR {total} = {missed} non rilevati + {wrong} identificati male: {words}.",
    "advice.frr_unknown": "FPIR {fpir}: FNIR non si può scomporre: non è noto.",
    "advice.met": (
        "{preset}: raggiunto. {name} è {value} % alla soglia {threshold}; {promise} dovrebbe costare al più il {most} "
        "% {price}."
    ),
    "advice.not_met": (
        "{preset}: non raggiunto. {name} è {value} % alla soglia {threshold}; {promise} dovrebbe costare al più il "
        "{most} % {price}."
    ),
    "advice.auc": "AUC {value}: {band}.",
    "advice.kappa": "Kappa {value}: {band}.",
    "advice.resolution": (
        "{place} {target} richiede almeno {needed} comparazioni {kind} indipendenti (regola del 3); qui sono {trials}. "
        "Ciò che sta scritto è un limite, non una misura."
    ),
    "advice.resolution_searches": (
        "FPIR {target} richiede almeno {needed} ricerche indipendenti di persone non registrate (regola del 3); qui "
        "sono {trials}. Ciò che sta scritto è un limite, non una misura."
    ),
    "advice.few": "meno di 30 errori, quindi il tasso vero può ben essere diverso del 30 % (regola del 30): {names}.",
    "advice.failed": (
        "{failed} comparazioni fallite ({mated} genuine, {nonmated} di impostori) sono escluse da FMR e FNMR; FAR e "
        "FRR le contano."
    ),
    "advice.failed_searches": (
        "{failed} ricerche non hanno dato punteggi ({enrolled} di registrati, {others} di altri) e sono escluse da "
        "tutti i tassi."
    ),
    "advice.direction_similarity": (
        "L'AUC è sotto 0.5: i punteggi genuini sono più bassi di quelli degli impostori. O sono distanze "
        "(--distance, rule='distance'), o i punteggi genuini e quelli degli impostori sono scambiati. Nulla è stato "
        "invertito."
    ),
    "advice.direction_distance": (
        "L'AUC è sotto 0.5: le distanze genuine sono più grandi di quelle degli impostori. O sono similarità "
        "(--similarity, rule='similarity'), o i punteggi genuini e quelli degli impostori sono scambiati. Nulla "
        "è stato invertito."
    ),
    "advice.chance": "CMS@{rank} di {people} persone: {share} lo raggiunge anche una lista estratta a caso.",
    "advice.tuned": (
        "{name} ha scelto la soglia su questi stessi dati, il che lo favorisce; quella soglia si giudica su altri "
        "(@t=)."
    ),
    "advice.llr": (
        "{name} è {value}, sopra 1: presi come rapporti di log-verosimiglianza questi punteggi sono peggio di nessuna "
        "risposta. Prima vanno calibrati."
    ),
    "advice.one_error": "{name} parla di un solo errore, e l'altro ne paga il prezzo: si chieda anche {other}@t=.",
    "advice.alone": "{name} da solo nasconde lo scambio tra gli errori; accanto va riportato un punto, come {other}.",
    "advice.alone_searches": "{name} da solo nasconde gli scambi; accanto va riportato un altro numero, come {other}.",
    "advice.alone_class": "{name} da solo nasconde gli scambi; accanto va riportata una misura complementare.",
    "advice.blind": (
        "{n} ricerche di persone non registrate non entrano in nessuna di queste misure: DIR@FPIR=0.01 le conta."
    ),
    "advice.unlike": "{first} è stato misurato su {a}, {second} su {b}: parte della differenza può venire dai dati.",
    "advice.no_interval": "questi sono numeri senza intervalli; quanto siano sicuri non è mostrato.",
    "advice.reversed_class": (
        "L'AUC è sotto 0.5: i positivi hanno punteggi più bassi dei negativi. Se i punteggi parlano per l'altra "
        "classe, dillo con positive=; nulla è stato invertito."
    ),
    "advice.skewed_class": (
        "la classe più grande contiene il {share} dei campioni: dirla sempre darebbe un'accuratezza di {accuracy}. Si "
        "leggano invece accuratezza bilanciata, MCC, precisione e richiamo."
    ),
    "advice.dummy": "l'accuratezza {accuracy} non supera quella di dire sempre la classe più grande ({share}).",
    "advice.one_class": "la verità è di una sola classe, quindi quasi tutte le misure non sono definite.",
    "advice.tuned_class": (
        "una soglia è stata scelta su questi stessi dati: ciò che dà qui è migliore di quanto darà altrove. Va scelta "
        "su altri dati e letta qui con t=."
    ),
    "advice.tuned_class_named": (
        "una soglia è stata scelta su questi stessi dati ({names}): ciò che dà qui è migliore di quanto darà altrove. "
        "Va scelta su altri dati e letta qui con t=."
    ),
    "advice.uncalibrated": (
        "ci sono probabilità e nessuna misura della loro calibrazione; un'AUC alta non le garantisce (ECE)."
    ),
    "advice.ece": "l'ECE è {value}: le probabilità sono lontane da ciò che è avvenuto; prima vanno calibrate.",
    "advice.impossible": (
        "{n} campioni avevano probabilità 0 per ciò che è avvenuto, quindi LogLoss è infinita (LogLoss[clipped] è "
        "finita)."
    ),
    "advice.few_samples": "meno di {few} campioni di {names}: i tassi di queste classi dicono poco.",
    "term.excellent": "eccellente",
    "term.good": "buono",
    "term.acceptable": "accettabile",
    "term.acceptable where errors are not critical": "accettabile dove gli errori non sono critici",
    "term.weak": "debole",
    "term.poor": "scarso",
    "term.poor: not usable as it is": "scarso: non utilizzabile così com'è",
    "term.unknown": "non noto",
    "term.perfect": "perfetto",
    "term.none": "nessuna capacità",
    "term.reversed: worse than chance": "invertito: peggio del caso",
    "term.worse than chance": "peggio del caso",
    "term.slight": "minimo",
    "term.fair": "discreto",
    "term.moderate": "moderato",
    "term.substantial": "sostanziale",
    "term.almost perfect": "quasi perfetto",
    "term.as usual": "come di solito",
    "term.less than usual": "meno del solito",
    "term.more than usual": "più del solito",
    "term.mated": "genuine",
    "term.non-mated": "di impostori",
    "term.of genuine users rejected": "di utenti genuini rifiutati",
    "term.of impostors accepted": "di impostori accettati",
    "term.every enrolled person is identified": "ogni persona registrata è identificata",
    "term.a problem of detection; a more permissive threshold helps, at the price of false alarms": (
        "un problema di rilevazione; aiuta una soglia più permissiva, a prezzo di falsi allarmi"
    ),
    "term.a problem of identification; only a matcher that tells people apart better helps": (
        "un problema di identificazione; aiuta solo un matcher che distingua meglio le persone"
    ),
    "term.both weigh; work on the threshold and on the matcher": (
        "pesano entrambi; si lavori sulla soglia e sul matcher"
    ),
    "term.extremely low false alarm": "falsi allarmi bassissimi",
    "term.extremely high detection": "rilevazione altissima",
    "term.low false alarm, moderate detection": "pochi falsi allarmi, rilevazione moderata",
    "term.high detection, moderate false alarm": "rilevazione alta, falsi allarmi moderati",
    "term.no threshold": "nessuna soglia",
    "term.all searches are looked through": "tutte le ricerche vengono esaminate",
    "term.no mated scores": "nessun punteggio genuino",
    "term.no non-mated scores": "nessun punteggio di impostori",
    "advice.better": (
        "{second} è migliore di {first}: {measure} {b} contro {a}, {size} {way} (intervallo al {level} da {low} a "
        "{high}), p = {p}."
    ),
    "advice.worse": (
        "{second} è peggiore di {first}: {measure} {b} contro {a}, {size} {way} (intervallo al {level} da {low} a "
        "{high}), p = {p}."
    ),
    "advice.apart": (
        "{second} e {first} non si distinguono: {measure} {b} contro {a}, p = {p}; per vederla quattro volte su cinque "
        "una differenza vera deve essere circa {size}."
    ),
    "advice.same": "{first} e {second} danno ovunque gli stessi punteggi: nulla li distingue.",
    "advice.unpaired": (
        "i sistemi sono confrontati come non appaiati, ognuno ricampionato per conto suo: se hanno giudicato le stesse "
        "persone o prove, un confronto appaiato vedrebbe differenze più piccole."
    ),
    "advice.naive_pairs": (
        "ricampionati sono stati {units}: dove più di essi sono di una persona, intervalli e valori p sono troppo "
        "piccoli."
    ),
    "advice.few_resamples": (
        "{tests} test affiancati non possono raggiungere p = {alpha} con {resamples} ricampionamenti, qualunque siano "
        "i dati; usare --resamples {needed}."
    ),
    "term.more": "in più",
    "term.less": "in meno",
    "term.points": "punti",
}
