"""The words with which replies name, reject and confirm a choice, by language."""

from typing import Final, Literal

# What is named ("answer"), what may stand before its letter ("option"), what links the two ("is"), what chooses the
# letter after it ("so"), what rejects ("not") the letter after it and what turns from there to the right one ("but"),
# what rejects ("wrong", which may turn as well: "AではなくC") or confirms ("right") the letter before it, what gives
# reasons for a letter ("because"), what joins letters ("or"), what may stand between all these ("the"), what
# only supposes the letters after it ("if"), what marks the last word of several ("final"), and what takes a letter back
# or sets another beside it ("maybe").
Role = Literal[
    "answer", "option", "is", "so", "not", "but", "wrong", "right", "because", "or", "the", "if", "final", "maybe"
]  # fmt: skip

# Alternatives, as patterns without case.
LANGUAGES: Final[dict[str, dict[Role, str]]] = {
    "signs": {"wrong": r"[✗✘❌]", "right": r"[✓✔✅]"},
    "English": {
        "answer": r"answer(?! choices| options)|correct one|right one|best one",
        "option": r"option|choice|letter",
        "is": r"is|be|are|was",
        "so": r"so|therefore|thus|hence|it is|it['’]s|it (?:must|has to|should|would) be|choose|pick|select|go with",
        "not": r"not|(?:is|are|was|could|must|does|do|did|would|should|has|have)n['’]t|can['’]t|won['’]t|cannot"
        r"|neither|nor|never|unlikely|hardly"
        r"|rather than|instead of|than|over"
        r"|doubt(?:s|ed|ful)?|unsure|uncertain|no (?:evidence|proof|reason)|nobody|no one|nothing"
        r"|(?:rul|eliminat|reject|discard|exclud)(?:es?|s|ed|ing)?(?: out)?",
        "but": r"but rather|but|rather",
        "wrong": r"wrong|incorrect|false|untrue|unsupported|impossible|irrelevant|fails?|contradict(?:s|ed)?|out"
        r"|(?:ruled|eliminated|rejected|discarded|excluded)(?: out)?",
        "right": r"correct|right|best|accurate",
        "because": r"because|since|as",
        "or": r"or|and",
        "the": r"the|that|most|more|very|likely|probably|clearly|definitely|obviously|certainly|simply|safely|easily"
        r"|then|either|both|also|all|been|being|were|to|can|could|may|might|must|should|would|seems?|appears?",
        "if": r"if|whether|suppose|assuming|unless",
        "final": r"final|finally|on reflection|in conclusion",
        "maybe": r"maybe|perhaps|possibly|otherwise|alternatively|no(?=,)|(?:no,? )?wait|i mean|correction|actually"
        r"|however|(?:could|might|may) also be",
    },
    "Chinese": {
        "answer": r"答案|答复|正确选项|最佳选项|答(?=\s*:)", "option": r"选项|選項",
        "is": r"(?:[应應][该該]?)?(?:[是为為]|[选選](?![项項]))", "so": r"所以|因此|故|[选選](?![项項])[择擇]?",
        "not": r"[而并並]?(?:不是|不选|不選|不可能是|不能[选選]|非)|不[认認][为為]|[没沒]有[证證][据據]|排除",
        "but": r"而是|应是|應是",
        "wrong": r"[项項]?(?:都|均)?(?:错误?|錯誤?|不对|不對|不正确|不正確|不符)|(?:可以?|被)排除",
        "right": r"[项項]?(?:正确|正確|对的|對的)", "because": r"因为|因為", "or": r"[和与與或]|或者",
        "if": r"如果|假如|假设|是否", "final": r"最[终終后後]",
    },
    "Japanese": {
        "answer": r"答え|正解|回答|解答", "option": r"選択肢", "is": r"は", "so": r"よって|したがって",
        "wrong": r"[はも](?:誤|間違|不正解|違|正しくな)|(?:では|じゃ)(?:な[いく]|ありませ)|が正しいとは[言い]え",
        "right": r"[がは](?:正し|正解|適切)",
        "or": r"[とや]|または|もしくは|か", "final": r"最終|最後",
    },
    "Korean": {
        "answer": r"정답|답변|답안|답", "option": r"선택지|보기", "is": r"[은는이가]", "so": r"따라서|그러므로",
        "wrong": r"[은는이가도]?\s?(?:정답이 )?(?:아니[라고]?|아닌|아닙|틀렸|틀린|틀립|오답|될 수 없)",
        "right": r"[은는이가]\s?(?:정답|맞)", "or": r"또는|[와과]|이?거나", "final": r"최종",
    },
    "German": {
        "answer": r"Antwort|Lösung", "is": r"ist|lautet|wäre|sind", "so": r"daher|deshalb|folglich",
        "not": r"nicht|weder", "but": r"sondern", "wrong": r"falsch", "right": r"richtige?|korrekte?",
        "because": r"weil|da|denn", "or": r"oder|und|noch", "the": r"die|der", "if": r"wenn|ob|falls",
        "final": r"endgültige",
    },
    "French": {
        "answer": r"réponse", "option": r"(?:l['’])?option", "is": r"est|sont|serait", "so": r"donc|c['’]est",
        "not": r"(?:n['’]est )?pas", "but": r"mais", "wrong": r"fausse|faux|incorrecte?",
        "right": r"correcte?|bonne|juste", "because": r"car|parce|puisque", "or": r"ou|et", "the": r"la", "if": r"si",
        "final": r"finale|finalement",
    },
    "Spanish": {
        "answer": r"respuesta", "option": r"opción", "is": r"es|son|sería", "so": r"por lo tanto",
        "not": r"no(?= es\b)", "but": r"sino", "wrong": r"incorrectas?|falsas?", "right": r"correcta",
        "because": r"porque|pues|ya", "or": r"[oy]", "the": r"la|el", "if": r"si", "final": r"finalmente",
    },
    "Portuguese": {
        "answer": r"resposta", "option": r"opção|alternativa", "is": r"é|são|seria", "so": r"portanto", "not": r"não",
        "but": r"mas sim|mas", "wrong": r"incorreta|errada", "right": r"correta", "because": r"pois", "or": r"ou|e",
    },
    "Italian": {
        "answer": r"risposta", "option": r"(?:l['’])?opzione", "is": r"è|sono|sarebbe", "so": r"quindi|pertanto",
        "not": r"non", "but": r"ma|bensì", "wrong": r"errata|sbagliata|falsa", "right": r"corretta|giusta",
        "because": r"perché|poiché",
    },
    "Dutch": {
        "answer": r"antwoord", "option": r"optie", "not": r"niet", "but": r"maar", "wrong": r"fout|onjuist",
        "right": r"juiste?|correcte", "because": r"omdat|want", "or": r"of|en", "the": r"het|de",
    },
    "Russian": {
        "answer": r"ответ|вариант", "so": r"поэтому|следовательно", "not": r"не", "but": r"а",
        "wrong": r"неверн\w+|неправильн\w+", "right": r"верен|верн\w+|правильн\w+", "because": r"потому",
        "or": r"или|и", "final": r"окончательный|итоговый",
    },
    "Ukrainian": {"answer": r"відповідь|варіант", "or": r"або|та"},
    "Polish": {"answer": r"odpowiedź|odpowiedzią", "is": r"jest|brzmi|to", "not": r"nie", "or": r"lub|i"},
    "Czech": {"answer": r"odpověď", "is": r"je", "not": r"není", "or": r"nebo"},
    "Swedish, Danish, Norwegian": {
        "answer": r"svaret|svar", "is": r"är|er", "not": r"inte|ikke", "or": r"eller|och|og",
    },
    "Turkish": {
        "answer": r"cevap|cevabı|yanıt", "option": r"seçenek", "wrong": r"değil\w*|yanlış\w*", "or": r"veya|ve",
    },
    "Vietnamese": {"answer": r"đáp án|trả lời", "is": r"là", "not": r"không phải", "wrong": r"sai", "or": r"hoặc|và"},
    "Greek": {
        "answer": r"απάντηση", "option": r"επιλογή", "is": r"είναι", "not": r"δεν", "wrong": r"λάθος", "or": r"ή|και",
    },
    "Hebrew": {"answer": r"ה?תשובה", "is": r"היא|הוא", "not": r"לא", "wrong": r"שגויה", "or": r"או"},
    "Persian": {"answer": r"پاسخ|جواب", "option": r"گزینه", "wrong": r"نیست|نادرست|غلط", "or": r"یا|و"},
    "Arabic": {
        "answer": r"(?:ال)?(?:إجابة|اجابة|جواب)", "option": r"(?:ال)?خيار", "is": r"هي|هو", "not": r"ليست?",
        "but": r"بل", "wrong": r"خاطئة?|خطأ", "right": r"صحيحة?", "or": r"أو", "final": r"النهائية?",
    },
    "Bengali": {"answer": r"উত্তর", "option": r"বিকল্প", "is": r"হল|হলো", "wrong": r"নয়|ভুল", "or": r"বা|এবং"},
    "Hindi": {
        "answer": r"उत्तर|जवाब", "option": r"विकल्प", "is": r"है", "but": r"बल्कि", "wrong": r"नहीं|ग़लत|गलत",
        "right": r"सही", "or": r"या|और", "final": r"अंतिम",
    },
    "Indonesian": {
        "answer": r"jawaban(?:nya)?", "option": r"opsi|pilihan", "is": r"adalah", "not": r"bukan",
        "but": r"melainkan", "wrong": r"salah", "right": r"benar", "or": r"atau|dan",
    },
    "Swahili": {"answer": r"jibu", "is": r"ni", "not": r"si", "or": r"au|na"},
    "Yoruba": {"answer": r"ìdáhùn|idahun", "is": r"ni", "or": r"tàbí"},
    "Thai": {
        "answer": r"คำตอบ|ตอบ", "option": r"ตัวเลือก|ข้อ", "is": r"คือ|เป็น", "not": r"ไม่ใช่", "but": r"แต่",
        "wrong": r"ไม่ถูก|ผิด", "right": r"ถูกต้อง", "or": r"หรือ|และ", "final": r"สุดท้าย",
    },
}  # fmt: skip


def words(role: Role) -> str:
    """One pattern of all languages' words in a role, longer ones where they stand first."""
    return "|".join(language[role] for language in LANGUAGES.values() if role in language)
