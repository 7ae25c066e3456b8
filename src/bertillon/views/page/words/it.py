"""The page in Italian."""

from __future__ import annotations

from bertillon.views.page.words.advice_it import ADVICE
from bertillon.views.page.words.attacks_it import ATTACKS
from bertillon.views.page.words.samples_it import SAMPLES

SENTENCES = {
    **ADVICE,
    **ATTACKS,
    **SAMPLES,
    # signs
    "group": "\u202f",
    "comma": ", ",
    "to": " a ",
    "of": "{part} su {whole}",
    "more": " e altri {n}",
    "undefined": "non definito",
    "unnamed": "il sistema",
    "all": "tutti",
    "threshold.rejects": "rifiuta tutto",
    "threshold.accepts": "accetta tutto",
    # the frame of the page
    "skip": "Vai al rapporto",
    "contents": "Contenuti",
    "theme": "Tema",
    "noscript": "I grafici e la soglia richiedono JavaScript; tutte le tabelle e i testi sono completi anche senza.",
    "made": "Prodotto da bertillon {version}. Nulla in questo file viene caricato da altrove.",
    "verdict": "Giudizio",
    "warnings": "Prima di fidarsi di questi numeri",
    # titles and headings
    "title.verification": "Rapporto di verifica",
    "title.identification": "Rapporto di identificazione",
    "title.classification": "Rapporto di classificazione",
    "title.modes": "Rapporto in più modalità",
    "mode.verification": "verifica",
    "mode.identification": "identificazione",
    "mode.classification": "classificazione",
    "section.verification": "Verifica",
    "section.identification": "Identificazione",
    "section.classification": "Classificazione",
    "section.comparison": "Confronto",
    "section.notes": "Come leggere questa pagina",
    "section.signature": "Firma",
    "section.data": "Dati",
    # what was measured on what
    "summary.verification": (
        "{names} è stato misurato in verifica (1:1) su {mated} comparazioni genuine (stessa persona) e {nonmated} di "
        "impostori (persone diverse)."
    ),
    "summary.verification.many": (
        "{n} sistemi sono stati misurati in verifica (1:1), ciascuno su {mated} comparazioni genuine e {nonmated} di "
        "impostori: {names}."
    ),
    "summary.failed": " Comparazioni fallite: {n}.",
    "summary.identification": (
        "{names} è stato misurato in identificazione (1:N) con {enrolled} ricerche di persone registrate e {others} di "
        "altre, in una galleria di {gallery} persone."
    ),
    "summary.identification.closed": (
        "{names} è stato misurato in identificazione closed-set (1:N) con {enrolled} ricerche in una galleria di "
        "{gallery} persone."
    ),
    "summary.identification.many": (
        "{names} sono stati misurati in identificazione (1:N), ciascuno con {enrolled} ricerche di persone registrate "
        "e {others} di altre, in una galleria di {gallery} persone."
    ),
    "summary.identification.closed.many": (
        "{names} sono stati misurati in identificazione closed-set (1:N), ciascuno con {enrolled} ricerche in una "
        "galleria di {gallery} persone."
    ),
    "summary.classification": "{names} è stato misurato in classificazione su {samples} campioni di {classes} classi.",
    "summary.classification.many": (
        "{names} sono stati misurati in classificazione, ciascuno su {samples} campioni di {classes} classi."
    ),
    "rule.similarity": (
        "I punteggi sono similarità: una comparazione è accettata quando il punteggio è almeno pari alla soglia."
    ),
    "rule.distance": "I punteggi sono distanze: una comparazione è accettata quando il punteggio non supera la soglia.",
    # measures
    "interval": "intervallo al {level} %: {ends}",
    "interval.column": "intervallo al {level} %",
    "system": "sistema",
    "measure": "misura",
    "value": "valore",
    "threshold": "soglia",
    "errors": "errori",
    "everyday": "nome comune",
    "names.ml": "nel machine learning",
    "names.biometric": "in biometria",
    "headline.caption": "Numeri principali",
    "measures.caption": "Tutte le misure",
    "measures.note": "Sotto ogni valore stanno il suo intervallo e la sua soglia, dove ci sono.",
    "measures.bounds": (
        "I punteggi sono stati contati a parti: questi valori sono noti solo entro limiti e si mostra il peggiore: "
        "{bounds}."
    ),
    "band.pointwise": "ombreggiato: banda al {level} %, per ogni punto a sé",
    "band.simultaneous": "ombreggiato: banda al {level} %, per tutta la curva",
    "measures.open": "Open-set: non tutti coloro che si cercano sono registrati",
    "measures.closed": "Closed-set: tutti coloro che si cercano sono registrati",
    "measure.EER": "equal error rate: a una stessa soglia i due errori hanno questa frequenza",
    "measure.FNMR@FMR": "utenti genuini rifiutati quando si accetta al più il {percent} degli impostori",
    "measure.FMR@FNMR": "impostori accettati quando si rifiuta al più il {percent} degli utenti genuini",
    "measure.FMR@t": "impostori accettati alla soglia {x}",
    "measure.FNMR@t": "utenti genuini rifiutati alla soglia {x}",
    "measure.ZeroFMR": "utenti genuini rifiutati quando nessun impostore è accettato",
    "measure.ZeroFNMR": "impostori accettati quando nessun utente genuino è rifiutato",
    "measure.AUC": "probabilità che in una coppia quello giusto abbia il punteggio migliore",
    "measure.dprime": "distanza tra le due distribuzioni dei punteggi, in deviazioni standard",
    "measure.RR": "la persona giusta è al primo posto",
    "measure.CMS": "la persona giusta è tra i primi candidati",
    "measure.MeanRank": "posto medio della persona giusta",
    "measure.nAUC": "area sotto la curva dei ranghi, 1 è il massimo",
    "measure.DIR@FPIR": "persone registrate trovate quando al più il {percent} delle altre dà un allarme",
    "measure.EERopen": "a una stessa soglia mancate rilevazioni e falsi allarmi hanno questa frequenza",
    "measure.AUCopen": "area sotto la curva della watch list",
    "measure.Accuracy": "campioni assegnati alla classe giusta",
    "measure.BalancedAccuracy": "richiamo medio delle classi",
    "measure.Precision": "giusti tra quelli detti positivi",
    "measure.Recall": "positivi trovati",
    "measure.Specificity": "negativi lasciati stare",
    "measure.F1": "media armonica di precisione e richiamo",
    "measure.MCC": "correlazione tra decisioni e verità",
    "measure.Kappa": "accordo oltre il caso",
    "measure.AP": "precisione media su tutti i richiami",
    "measure.LogLoss": "sorpresa per ciò che è avvenuto, in nat",
    "measure.Brier": "errore quadratico medio delle probabilità",
    "measure.ECE": "scarto medio tra quanto promesso e quanto avvenuto",
    # verification
    "explore.verification": (
        "Sposta la soglia: trascina la linea in un grafico, usa il cursore o le sue frecce, o salta a un punto con "
        "nome. Tutti i grafici e i numeri seguono. Ogni numero è esatto per la soglia indicata accanto."
    ),
    "expected.caption": "Cosa aspettarsi da {genuine} tentativi genuini e {impostor} di impostori al giorno",
    "expected.system": "sistema",
    "expected.point": "punto operativo",
    "expected.threshold": "soglia",
    "expected.FAR": "FAR",
    "expected.FRR": "FRR",
    "expected.accepts": "false accettazioni al giorno",
    "expected.rejects": "falsi rifiuti al giorno",
    "expected.cost": "costo al giorno",
    "development.caption": "Soglie fissate su {there}, giudicate su {here}",
    "folds": "{name}: accuratezza su {n} fold {mean} ± {error}, ogni fold con la soglia migliore sugli altri.",
    # identification
    "explore.identification": (
        "Sposta la soglia della watch list e guarda quante persone registrate vengono trovate e quanti allarmi danno "
        "le persone che non sono nella lista."
    ),
    "regions.caption": (
        "Cinque modi di gestire la watch list, con {passers} persone al giorno e {minutes} minuti per allarme"
    ),
    "regions.region": "regione",
    "regions.target": "obiettivo",
    "regions.threshold": "soglia",
    "regions.FPIR": "FPIR",
    "regions.DIR": "DIR",
    "regions.alarms": "falsi allarmi al giorno",
    "regions.hours": "ore di controlli al giorno",
    "regions.misses": "persone mancate al giorno",
    "regions.note": (
        "DIR: quota di persone registrate che vengono trovate. FPIR: quota delle altre che danno un allarme."
    ),
    "regions.out": "fuori portata per questo sistema",
    "regions.unseen": "troppo poche ricerche per misurare un FPIR così basso: è un limite",
    "cmc.title": "Rango della persona giusta (CMC)",
    "cmc.summary": "Quota di ricerche in cui la persona giusta è tra i primi k candidati. Al rango 1: {first}.",
    "cmc.rank": "Rango k",
    "cmc.rate": "Persona giusta entro il rango k",
    # classification
    "explore.classification": (
        "Sposta la soglia da cui un campione è detto {positive}: trascina la linea in un grafico, usa il cursore o le "
        "sue frecce, o salta a un punto con nome."
    ),
    "confusion.caption": "Matrice di confusione: le righe sono le classi vere, le colonne quelle assegnate",
    "confusion.corner": "vera \\ assegnata",
    "confusion.true": "classe vera",
    "confusion.predicted": "assegnata",
    "confusion.count": "campioni",
    "confusion.worst": "Le {n} confusioni più frequenti tra {classes} classi.",
    "class": "classe",
    "support": "campioni",
    "classes.caption": "Ogni classe contro le altre",
    "reliability.title": "Calibrazione",
    "reliability.summary": (
        "Quanto spesso si è avverato ciò che era promesso, per probabilità promessa. Sulla diagonale coincidono."
    ),
    "reliability.diagonal": "calibrazione perfetta",
    "reliability.promised": "Probabilità promessa",
    "reliability.observed": "Avverato",
    "reliability.count": "{n} campioni",
    # comparison
    "comparison.caption": "False non-match rate ad alcuni false match rate",
    "comparison.some": "Di {all} sistemi si confrontano a coppie i {n} migliori secondo {measure}.",
    "comparison.tied": "{first} e {second} hanno lo stesso FNMR a ogni FMR.",
    "comparison.dominates": "{better} non è mai peggiore di {worse} e da qualche parte è migliore: domina a ogni FMR.",
    "comparison.below": "{name} ha l'FNMR più basso sotto FMR {fmr}",
    "comparison.from": "{name} da FMR {fmr} in su",
    "comparison.more": "e il primato cambia altre {n} volte",
    "comparison.neither": "{parts}; nessuno dei due è migliore ovunque.",
    "comparison.note": "Il tasso più basso di ogni colonna è in grassetto.",
    "comparison.untested": (
        "Il tasso più basso di ogni colonna è in grassetto. Se una differenza sia più del caso lo dice un test "
        "appaiato (bertillon compare)."
    ),
    "tested.caption": "Differenze verificate sulle stesse prove",
    "tested.unpaired": "Differenze verificate tra sistemi non appaiati",
    "tested.note": (
        "Differenza: secondo meno primo, in punti percentuali per i tassi. I valori p sono corretti per tutti i test "
        "fatti insieme (Holm)."
    ),
    "tested.first": "primo",
    "tested.second": "secondo",
    "tested.measure": "misura",
    "tested.first_value": "valore del primo",
    "tested.second_value": "valore del secondo",
    "tested.difference": "differenza",
    "tested.interval": "intervallo",
    "tested.p": "p",
    # notes
    "notes.verification": (
        "FMR (false match rate) è la quota di comparazioni tra persone diverse che vengono accettate; FNMR (false "
        "non-match rate) la quota di comparazioni della stessa persona che vengono rifiutate. FAR e FRR sono gli "
        "stessi tassi per tentativi interi: le comparazioni fallite contano come rifiuti. L'EER è il tasso a cui i due "
        "sono uguali, sulla retta tra soglie vicine. Un tasso a FMR = x si legge alla soglia più permissiva il cui FMR "
        "è al più x."
    ),
    "notes.identification": (
        "DIR è la quota di ricerche di persone registrate in cui la persona giusta supera la soglia ed è al primo "
        "posto; FNIR = 1 - DIR. FPIR è la quota di ricerche di persone non registrate in cui qualcuno supera la "
        "soglia. CMS(k) è la quota di ricerche la cui persona giusta è tra i primi k."
    ),
    "notes.classification": (
        "FPR è la quota di negativi detti positivi, il richiamo (TPR) la quota di positivi detti tali, la precisione "
        "la quota di quelli detti positivi che lo sono. L'ECE confronta le probabilità promesse con ciò che è "
        "avvenuto, in dieci intervalli."
    ),
    "notes.names": (
        "FPR, FNR e richiamo del machine learning sono FMR, FNMR e TMR delle comparazioni, e FPIR, FNIR e DIR delle "
        "ricerche: le comparazioni genuine e le ricerche di persone registrate sono i positivi."
    ),
    "notes.ties": (
        "Un punteggio uguale alla soglia è accettato. I punteggi uguali non vengono mai separati: sono soglie solo i "
        "punteggi distinti, e una che rifiuta tutto. In una classifica chi è altrettanto simile viene prima della "
        "persona giusta."
    ),
    "notes.intervals": (
        "Un intervallo contiene il tasso vero della popolazione con la confidenza indicata, se si misurano di nuovo "
        "persone come quelle misurate. I numeri hanno le cifre che il loro intervallo sostiene."
    ),
    "notes.no_intervals": "Non sono stati chiesti intervalli: quanto questi numeri siano sicuri non è mostrato.",
    "notes.naive": (
        "Alcuni intervalli prendono le comparazioni come indipendenti, perché non si sa di chi sono. Le comparazioni "
        "condividono persone, quindi la verità può ben stare fuori."
    ),
    "notes.bounds": (
        "Dove non si è visto alcun errore il tasso è mostrato come limite: con il 95 % di confidenza è sotto 3 / prove "
        "(regola del 3). Sugli assi logaritmici e normali un tale tasso sta a mezzo errore, e la linea segna un errore."
    ),
    "notes.exact": (
        "Le curve tengono circa duemila soglie ciascuna, scelte in modo che non si veda differenza, oltre a tutti i "
        "punti con nome e a tutte le soglie che potrebbero costare meno. Il cursore si muove tra queste; a ognuna "
        "conteggi e tassi sono esattamente quelli dei dati."
    ),
    "notes.use": (
        "Gli errori attesi al giorno sono i tassi per i tentativi inseriti; il costo è la somma dei due errori per "
        "quanto costa ciascuno. Valgono per quanto le persone e le condizioni d'uso sono quelle della prova."
    ),
    # signature and data
    "signature.caption": "Ciò che serve per ottenere di nuovo gli stessi numeri",
    "signature.what": "cosa",
    "signature.is": "è",
    "signature.of": "di",
    "data.words": "Tutti i numeri dietro questa pagina, curve e risposte, a piena precisione:",
    "data.json": "Scarica in JSON",
    "data.csv": "Scarica le curve in CSV",
    # tables
    "copy": "Copia",
    "live.copied": "Copiato in {format}.",
    "copy.failed": "Qui non è permesso copiare; copia il testo da questo riquadro:",
    "close": "Chiudi",
    # controls
    "control.threshold": "Soglia",
    "control.typed": "soglia esatta",
    "control.points": "Salta a",
    "control.cheapest": "costo minimo",
    "control.curve": "Curva",
    "control.axes": "Assi",
    "control.linear": "lineari",
    "control.log": "log",
    "control.normal": "normali",
    "control.systems": "Sistemi",
    "control.lead": "La soglia è quella di",
    "control.follow": "Gli altri sistemi stanno",
    "control.same_rate": "allo stesso {rate} o meno",
    "control.same_threshold": "alla stessa soglia",
    "control.use": "In uso",
    "control.genuine": "tentativi genuini al giorno",
    "control.impostor": "tentativi di impostori al giorno",
    "control.cost_accept": "costo di una falsa accettazione",
    "control.cost_reject": "costo di un falso rifiuto",
    "control.positive": "positivi al giorno",
    "control.negative": "negativi al giorno",
    "control.cost_fp": "costo di un falso positivo",
    "control.cost_fn": "costo di un positivo mancato",
    "control.passers": "persone al giorno",
    "control.minutes": "minuti per controllare un allarme",
    "control.on_list": "quota nella lista",
    "control.numbers": "A questa soglia",
    # what the script says
    "live.group": "\u202f",
    "live.of": "{part} su {whole}",
    "live.to": " a ",
    "live.independent": "Gli intervalli al {level} % qui prendono le prove come indipendenti.",
    "live.shared": (
        "Questi numeri non hanno intervalli: le prove condividono persone, e che cosa ciò comporti a ogni soglia non è "
        "conservato in questa pagina. Le tabelle hanno gli intervalli nei punti con nome."
    ),
    "live.accept_from": "accettato se punteggio ≥ t",
    "live.accept_to": "accettato se punteggio ≤ t",
    "live.rejects_all": "rifiuta tutto",
    "live.kept": "una delle {n} soglie tenute in questa pagina",
    "live.whole": "una di {n} soglie, tutte quelle che ci sono",
    "live.moved": "{typed} sta tra due soglie tenute; è mostrata la più severa che segue",
    "live.bad_number": "serve un numero, 0 o più, con il punto decimale",
    "live.bad_share": "serve una quota da 0 a 1, con il punto decimale",
    "live.bad_threshold": "serve un numero, con il punto decimale",
    "live.reading": "soglia {threshold}: {matched} {matched_rate}, {missed} {missed_rate}",
    "live.threshold": "soglia",
    "live.score": "Punteggio",
    "live.density": "Quota dei punteggi",
    "live.cost": "Costo al giorno",
    "live.cost_title": "Costo per soglia",
    "live.rates_title": "Errori per soglia",
    "live.scores_title": "Punteggi",
    "live.pr_title": "Precisione e richiamo",
    "live.rate": "Tasso",
    "live.system": "sistema",
    "live.floor": "un errore",
    "live.sorted": "Ordinato per {column}.",
    "live.unsorted": "Nell'ordine del rapporto.",
    "live.theme.auto": "del sistema",
    "live.theme.light": "chiaro",
    "live.theme.dark": "scuro",
    "live.verification.matched": "FMR",
    "live.verification.missed": "FNMR",
    "live.verification.found": "TMR",
    "live.verification.matched_words": "False match rate (FMR, FAR)",
    "live.verification.missed_words": "False non-match rate (FNMR, FRR)",
    "live.verification.found_words": "True match rate (TMR, GAR)",
    "live.verification.mated": "genuini (stessa persona)",
    "live.verification.nonmated": "impostori",
    "live.verification.day_matched": "false accettazioni al giorno",
    "live.verification.day_missed": "falsi rifiuti al giorno",
    "live.verification.cost": "costo al giorno",
    "live.identification.matched": "FPIR",
    "live.identification.missed": "FNIR",
    "live.identification.found": "DIR",
    "live.identification.matched_words": "Falsi allarmi di altri (FPIR)",
    "live.identification.missed_words": "Registrati non trovati (FNIR)",
    "live.identification.found_words": "Registrati trovati (DIR)",
    "live.identification.mated": "persona giusta, registrata",
    "live.identification.nonmated": "miglior candidato degli altri",
    "live.identification.day_matched": "falsi allarmi al giorno",
    "live.identification.day_missed": "persone mancate al giorno",
    "live.identification.hours": "ore di controlli al giorno",
    "live.classification.matched": "FPR",
    "live.classification.missed": "FNR",
    "live.classification.found": "richiamo",
    "live.classification.precision": "precisione",
    "live.classification.matched_words": "False positive rate (FPR)",
    "live.classification.missed_words": "False negative rate (FNR)",
    "live.classification.found_words": "Richiamo (TPR)",
    "live.classification.precision_words": "Precisione (PPV)",
    "live.classification.mated": "positivi",
    "live.classification.nonmated": "negativi",
    "live.classification.day_matched": "falsi positivi al giorno",
    "live.classification.day_missed": "positivi mancati al giorno",
    "live.classification.cost": "costo al giorno",
}
