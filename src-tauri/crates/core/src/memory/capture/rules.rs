//! The patterns of what lasts, by kind and language. A new one is one line here and its
//! sentences in the table of `tests.rs`, true and false.
//!
//! Each is matched against one sentence, without regard to case; `unless` are the turns of
//! phrase that sound alike and mean the moment.

use weir_protocol::MemoryKind::{self, Decision, Fact, Instruction, Preference};

pub(super) struct Rule {
    pub(super) kind: MemoryKind,
    pub(super) says: &'static str,
    pub(super) unless: Option<&'static str>,
}

const fn rule(kind: MemoryKind, says: &'static str, unless: &'static str) -> Rule {
    Rule {
        kind,
        says,
        unless: if unless.is_empty() {
            None
        } else {
            Some(unless)
        },
    }
}

/// What the user asks to remember, in so many words; `note` is what.
pub(super) const EXPLICIT: &[&str] = &[
    r"^(?:please[, ]+|also[, ]+|ok(?:ay)?[, ]+)*(?:remember|keep in mind|bear in mind|don['’]t forget|do not forget|make a note|note for later|for (?:future|later) reference)(?:\s*[:—–]\s*|\s*,\s*(?:that\s+)?|\s+that\s+)(?P<note>.+)$",
    r"^(?:please[, ]+|also[, ]+)*(?:remember|don['’]t forget|do not forget) (?P<note>(?:my|our|we|i|i['’]m|to) .+)$",
    r"^(?:can|could|will|would) you (?:please )?(?:remember|keep in mind) (?:that )?(?P<note>(?:my|our|we|i|i['’]m|the|to) .+)$",
    r"^(?:bitte[, ]+)?(?:merke? dir|denk(?:e)? daran|vergiss nicht|behalte im kopf)(?:\s*:\s*|\s*,?\s*dass\s+)(?P<note>.+)$",
    r"^(?:souviens-toi|rappelle-toi|retiens|n['’]oublie pas)(?:\s*:\s*|\s+que\s+|\s+qu['’])(?P<note>.+)$",
    r"^(?:por favor[, ]+)?(?:recuerda|ten en cuenta|no olvides)(?:\s*:\s*|\s+que\s+)(?P<note>.+)$",
    r"^(?:ricorda|ricordati|tieni presente)(?:\s*:\s*|\s+che\s+)(?P<note>.+)$",
    r"^(?:lembre-se|lembra-te|não esqueça)(?:\s*:\s*|\s+(?:de )?que\s+)(?P<note>.+)$",
    r"^(?:请)?(?:记住|記住|记得|记下|记一下)[:：，,]?\s*(?P<note>.+)$",
    r"^(?P<note>.+?)(?:を|と|って|こと)?覚えて(?:おいて|ください|て).*$",
];

/// What stands before a statement and adds nothing.
pub(super) const ASIDE: &str = r"^(?:(?:btw|by the way|fyi|for your information|just so you know|note that|note|also|and|so|ok|okay|well|hi|hey|hello|please|bitte|übrigens|au fait|por cierto|por favor)(?:[,:!]\s*|\s+))+";

/// What will not be true tomorrow.
pub(super) const PASSING: &str = r"\b(?:today|tonight|tomorrow|yesterday|right now|for now|at the moment|this time|this once|just this|just now|currently|this (?:morning|week|afternoon)|heute|morgen|gestern|gerade|im moment|diesmal|aujourd['’]hui|demain|pour l['’]instant|hoy|mañana|ahora mismo|esta vez)\b|今天|明天|昨天|现在|現在|这次|今日|今回";

/// What tells of a failure, which is hoped to pass.
pub(super) const TROUBLE: &str = r"\b(?:errors?|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|exceptions?|bugs?|broken|traceback|segfaults?|stuck|hangs?|(?:doesn|don|isn|aren|won)['’]t (?:work|compile|start|build|run)|does not work|not working|fehler|kaputt|abgestürzt|erreurs?|plante|fall[ao]|errores)\b|报错|エラー";

pub(super) const RULES: &[Rule] = &[
    rule(
        Instruction,
        r"^(?:you (?:must|should|shall|have to|need to) )?(?:always|never|under no circumstances)[, ]+\p{L}+",
        r"^never (?:mind|again|heard|knew|thought|been|had|worked|did|was|got|seen|tried)\b|^always (?:been|was|has|had|wondered|thought|a |the )",
    ),
    rule(
        Instruction,
        r"^(?:from now on|going forward|in (?:the )?future|by default|as a rule|in this (?:project|repo|repository|codebase)|for this (?:project|repo|repository|codebase))[, ]+\p{L}+",
        r"\bi(?:['’]ll| will)\b|\bthere (?:is|are)\b",
    ),
    rule(
        Instruction,
        r"^(?:make sure (?:to|that you|you) always|(?:don['’]t|do not) ever|(?:don['’]t|do not) .{3,120} in this (?:project|repo|repository|codebase))\b",
        "",
    ),
    rule(
        Instruction,
        r"^(?:answer|reply|respond|write|speak|explain|format|comment|name|use|prefer|keep|run|put)\b.{2,160}\b(?:always|never|every time|in every (?:answer|reply)|in all (?:answers|replies)|from now on|unless i (?:say|ask))\b",
        "",
    ),
    rule(
        Instruction,
        r"^(?:when(?:ever)?|every time|if) .{3,120}, (?:always|never|please always|please never)\b",
        "",
    ),
    rule(
        Preference,
        r"^(?:i|we)(?: really| strongly| much| usually| generally| always| also| both| all| personally)* (?:prefer|would rather|favou?r|love|hate|dislike|enjoy|can['’]t stand|cannot stand|don['’]t like|do not like|like)\b",
        r"(?:prefer|rather|love|hate|dislike|enjoy|stand|like) (?:this|that|it|these|those|them|him|her|the (?:first|second|third|last|idea|other|latter|former|way|result|one|look)|your|you\b|how|what|where|when|to (?:know|see|ask|have|get|be)|both|option|not to)\b",
    ),
    rule(
        Preference,
        r"^i['’]d rather (?:use|have|write|read|work)\b",
        r"\b(?:this|that|it)\b",
    ),
    rule(
        Preference,
        r"^my (?:\p{L}+ ){0,2}(?:name|nickname|pronouns|favou?rite|preferred|job|role|birthday|time ?zone|language|company|employer|team|boss|manager|wife|husband|partner|dog|cat|son|daughter|hobby|stack|editor|shell|operating system|laptop|keyboard layout|hometown)\b(?: [^.?!]{1,40})? (?:is|are|runs|uses)\b",
        r"\b(?:is|are) (?:not|too|so|very|it|there|what|that|this)\b",
    ),
    rule(
        Preference,
        r"^(?:i['’]m|i am) (?:called|named|from|based in|allergic to|vegetarian|vegan|left-handed|colou?r-?blind|an? \p{L})",
        r"^(?:i['’]m|i am) an? (?:bit|little|lot|idiot|few|while|fool|big fan of (?:this|that|it)|fan of (?:this|that|it)|step)\b",
    ),
    rule(
        Preference,
        r"^i (?:work|live|study|teach) (?:at|in|as|for|from)\b|^i speak \p{L}+|^i was born\b",
        r"\b(?:for (?:this|that|it|an hour)|in (?:this|that) (?:file|branch|function)|to you)\b",
    ),
    rule(
        Preference,
        r"^call me \p{L}+",
        r"^call me (?:back|when|if|later|crazy|at|once)\b",
    ),
    rule(
        Decision,
        r"^(?:we|i)(?:['’]ve| have)?(?: just| finally| recently| now)* (?:decided|agreed|chose|chosen|settled|standardi[sz]ed|adopted|migrated|switched (?:to|from)|moved (?:to|from))\b",
        r"\b(?:it|this|that) (?:to|from|back)\b",
    ),
    rule(
        Decision,
        r"^(?:the decision is|it was decided|we(?:['’]re| are) going with|let['’]s (?:standardi[sz]e on|stick (?:with|to)))\b",
        r"(?:with|to|on) (?:this|that|it)\b",
    ),
    rule(
        Fact,
        r"^(?:we|i)(?: always| never| mostly| usually| only| no longer| all| also| mainly| primarily)*(?: don['’]t| do not)? (?:use|deploy|develop|host|ship|release|target|support|follow|store|keep|write|test|build|run|code|program|indent|lint|format)\b",
        r"(?:use|deploy|develop|host|ship|release|target|support|follow|store|keep|write|test|build|run|code|program|indent|lint|format) (?:it|this|that|these|those|them|the (?:following|above|code|function|script|command|same|variable)|into|out|over|up|something|some|you|getting|seeing|having|a (?:function|variable|loop|script|class|query))\b|\b(?:and|but|so|then) (?:it|i|then|get|got|see|nothing|now|the)\b",
    ),
    rule(
        Fact,
        r"^our (?:[\p{L}\d/_.'’-]+ ){1,5}(?:is|are|lives?|runs?|uses?|sits?|needs?|requires?|targets?|must|should|gets?|goes|go|has|have|speaks?|listens?|follows?|starts?|ends?)\b",
        r"^our (?:question|problem|issue|idea|goal|plan|next step)\b|\b(?:is|are) (?:down|slow|wrong|empty|missing|weird|strange|too|so|very|it|there|what|red|giving|throwing|returning|showing|still)\b",
    ),
    rule(
        Fact,
        r"^(?:the|this) (?:[\p{L}\d/_.'’-]+ ){0,3}(?:project|repo|repository|app|application|api|server|service|database|tests?|suite|build|codebase|ci|pipeline|staging|production|docs|documentation|front ?end|back ?end|website|site|releases?|deployment|linter|formatter|branch|style guide|package|library|cluster|queue|schema|monorepo|workspace|configuration|environment|team|company|product)(?: [\p{L}\d/_.'’-]+){0,3} (?:is|are|lives?|runs?|uses?|needs?|requires?|sits?|targets?|must|should|supports?|listens?|follows?|speaks?|has|have|gets?|go(?:es)?)\b",
        r"\b(?:is|are) (?:down|up|slow|wrong|empty|missing|weird|strange|too|so|very|not|it|there|what|red|green|giving|throwing|returning|showing|still|great|nice|good|bad)\b|\b(?:needs?|has|have) (?:to be fixed|a (?:problem|typo|mistake))\b",
    ),
    // German.
    rule(
        Instruction,
        r"^(?:immer|niemals|nie|ab (?:jetzt|sofort)|in zukunft|künftig|standardmäßig)[, ]+\p{L}+|^(?:antworte|schreib|schreibe|verwende|benutze|nutze)\b.{0,80}\b(?:immer|niemals|nie|ab jetzt)\b",
        r"^nie (?:mehr|wieder)\b|^immer (?:noch|wieder)\b",
    ),
    rule(
        Preference,
        r"^(?:ich (?:bevorzuge|mag|liebe|hasse|heiße|heisse|wohne|arbeite (?:bei|als|in|für)|spreche|bin (?:ein|eine|aus)\b)|wir bevorzugen|mein(?:e|en)? (?:name|lieblings\p{L}*|beruf|hund|katze|frau|mann|editor|zeitzone|firma) (?:ist|heißt|sind)|nenn mich)\b",
        r"(?:mag|liebe|hasse) (?:das|dies|es|die idee|den ersten)\b|bin eine? (?:wenig|bisschen)",
    ),
    rule(
        Decision,
        r"^wir haben (?:uns )?.{0,60}(?:entschieden|beschlossen|geeinigt)\b",
        "",
    ),
    rule(
        Fact,
        r"^wir (?:verwenden|benutzen|nutzen|deployen|entwickeln|testen|hosten)\b|^unser(?:e|en)? (?:[\p{L}\d/_.-]+ ){1,4}(?:ist|sind|läuft|laufen|liegt|liegen|heißt|braucht|verwendet|nutzt)\b|^(?:das|dieses) (?:projekt|repo|repository) (?:ist|verwendet|nutzt|braucht|heißt)\b",
        r"\b(?:das|dies|es|diese funktion)\b.{0,3}$|ist (?:das|ein problem|langsam|leer|falsch)\b",
    ),
    // French.
    rule(
        Instruction,
        r"^(?:toujours|jamais|désormais|à l['’]avenir|dorénavant|par défaut)[, ]+\p{L}+|^(?:réponds|écris|utilise)\b.{0,80}\b(?:toujours|jamais)\b|^n['’e].{2,60}\bjamais\b",
        "",
    ),
    rule(
        Preference,
        r"^(?:je (?:préfère|déteste|m['’]appelle|travaille (?:chez|comme|à|pour)|parle)|j['’](?:aime|adore|habite)|je suis (?:une?|allergique|végétarien)|nous préférons|(?:mon|ma) (?:nom|prénom|métier|langue|éditeur|chien|chat|femme|mari) (?:est|s['’]appelle))\b",
        r"(?:préfère|déteste|aime|adore) (?:ça|cela|ce|cette|le premier|la première)\b|suis un peu\b",
    ),
    rule(
        Decision,
        r"^(?:nous avons|on a) (?:décidé|choisi|convenu|opté)\b",
        "",
    ),
    rule(
        Fact,
        r"^(?:nous utilisons|on utilise|j['’]utilise|notre (?:[\p{L}\d/_.-]+ ){1,4}(?:est|tourne|utilise|se trouve)|nos (?:[\p{L}\d/_.-]+ ){1,4}(?:sont|tournent|utilisent)|(?:le|ce) projet (?:est|utilise))\b",
        r"utilis\p{L}+ (?:ça|cela|ce|cette)\b",
    ),
    // Spanish.
    rule(
        Instruction,
        r"^(?:siempre|nunca|a partir de ahora|de ahora en adelante|por defecto)[, ]+\p{L}+|^(?:responde|escribe|usa)\b.{0,80}\b(?:siempre|nunca)\b",
        "",
    ),
    rule(
        Preference,
        r"^(?:prefiero|preferimos|me (?:gusta|encanta|llamo)|odio|no me gusta|vivo en|trabajo (?:en|como|para)|hablo|soy (?:una?|alérgic|vegetarian)|mi (?:nombre|trabajo|idioma|editor|perro|gato|favorit\p{L}*) (?:es|se llama))",
        r"(?:gusta|encanta|prefiero|odio) (?:esto|eso|este|esta|el primero|la primera)\b|soy un poco\b",
    ),
    rule(
        Decision,
        r"^(?:hemos decidido|decidimos|acordamos|hemos acordado)\b",
        "",
    ),
    rule(
        Fact,
        r"^(?:usamos|utilizamos|desplegamos|nuestr[oa]s? (?:[\p{L}\d/_.-]+ ){1,4}(?:es|son|está|están|usa|usan|corre|vive)|(?:el|este) proyecto (?:es|usa|está))\b",
        r"(?:usamos|utilizamos) (?:esto|eso|este|esta)\b",
    ),
    // Chinese and Japanese.
    rule(
        Instruction,
        r"^(?:总是|總是|永远不要|永遠不要|以后都?|以後都?|从现在开始|請?一律|默认)\S{2,}",
        r"^以[后後]再",
    ),
    rule(
        Preference,
        r"^(?:我|我们|我們)(?:更?喜欢|更?喜歡|偏好|讨厌|討厭|不喜欢|叫|住在|的名字(?:是|叫)|对.{1,12}过敏)\S+",
        r"(?:喜欢|喜歡|讨厌)(?:这|那|你|這)",
    ),
    rule(
        Decision,
        r"^(?:我们|我們)(?:决定|決定|已经决定|选择了)\S+",
        "",
    ),
    rule(
        Fact,
        r"^(?:我们|我們)(?:使用|用|部署|的.{1,16}(?:是|在|用))\S+",
        r"(?:用|使用)(?:这|那|它)",
    ),
    rule(
        Instruction,
        r"^(?:常に|必ず|絶対に|今後は|デフォルトで)\S{3,}",
        "",
    ),
    rule(
        Preference,
        r"^(?:私|わたし|僕|俺)(?:の名前)?は.{1,60}(?:が(?:好き|嫌い|苦手)|です|といいます|と申します|に住んで)",
        r"(?:これ|それ|あれ)が",
    ),
    rule(
        Fact,
        r"^(?:私たち|弊社|うち|このプロジェクト)(?:では|は|の).{2,80}(?:使って|使用して|書かれて|動いて)",
        "",
    ),
];
