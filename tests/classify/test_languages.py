"""Topics in other languages than English, from their examples to the pages that they never saw."""

from dataclasses import replace

import pytest

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.page.blocks import partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer

LEARNT = 6
SETTINGS = ClassifierSettings(mi_min_df=1)  # of six pages of a sentence, few share a word
COOKING = {
    "en": """
        The dough rests for an hour, then it is baked in a hot oven with plenty of butter.
        Chop the onions and the garlic and fry them in olive oil until they are golden.
        This soup of carrots and ginger is ready in half an hour and tastes even better warmed up.
        Whisk the eggs with sugar, fold in the flour and pour the batter into a buttered tin.
        Season the meat with salt and pepper and roast it slowly in the oven.
        The sauce of tomatoes, garlic and basil simmers while the pasta cooks.
        For the cake you need flour, eggs, sugar and butter; bake it for forty minutes.
        Fry the potatoes with onions in a pan and season them with salt and pepper.
    """,
    "de": """
        Der Teig ruht eine Stunde, dann wird er mit viel Butter im heißen Ofen gebacken.
        Die Zwiebeln und den Knoblauch hacken und in Olivenöl goldgelb anbraten.
        Diese Suppe aus Möhren und Ingwer ist bald fertig und schmeckt aufgewärmt noch besser.
        Die Eier mit dem Zucker schlagen, das Mehl unterheben und den Teig in eine Form mit Butter geben.
        Das Fleisch mit Salz und Pfeffer würzen und langsam im Ofen braten.
        Die Soße aus Tomaten, Knoblauch und Basilikum köchelt, während die Nudeln kochen.
        Für den Kuchen brauchst du Mehl, Eier, Zucker und Butter; vierzig Minuten backen.
        Die Kartoffeln mit Zwiebeln in der Pfanne braten und mit Salz und Pfeffer würzen.
    """,
    "ru": """
        Тесто отдыхает час, потом его пекут с маслом в горячей духовке.
        Нарежьте лук и чеснок и обжарьте их на оливковом масле до золотистого цвета.
        Этот суп из моркови с имбирём готов за полчаса, а на другой день он ещё вкуснее.
        Взбейте яйца с сахаром, добавьте муку и вылейте тесто в форму, смазанную маслом.
        Посолите и поперчите мясо и запекайте его в духовке на медленном огне.
        Соус из помидоров, чеснока и базилика тушится, пока варятся макароны.
        Для пирога нужны мука, яйца, сахар и масло; выпекайте его сорок минут в духовке.
        Обжарьте картофель с луком на сковороде, добавьте соль и перец.
    """,
    "ar": """
        تُترك العجينة ساعة ثم تُخبز مع الزبدة في فرن ساخن.
        يُقطع البصل والثوم ويُقلى في زيت الزيتون حتى يصبح ذهبياً.
        حساء الجزر والزنجبيل جاهز في نصف ساعة وطعمه لذيذ.
        اخفق البيض مع السكر وأضف الدقيق واسكب العجينة في قالب مدهون بالزبدة.
        تبّل اللحم بالملح والفلفل واطبخه ببطء في الفرن.
        صلصة الطماطم والثوم والريحان تُطبخ بينما تُسلق المعكرونة.
        تحتاج الكعكة إلى الدقيق والبيض والسكر والزبدة وتُخبز أربعين دقيقة في الفرن.
        اقلِ البطاطس مع البصل في المقلاة وأضف الملح والفلفل.
    """,
    "ja": """
        生地を一時間休ませてから、バターをたっぷり塗ってオーブンで焼きます。
        玉ねぎとにんにくを切って、オリーブオイルできつね色になるまで炒めます。
        にんじんと生姜のスープは三十分でできて、温め直すともっと美味しいです。
        卵と砂糖を泡立て、小麦粉を加えて、バターを塗った型に生地を流します。
        肉に塩と胡椒をふり、オーブンでゆっくり焼きます。
        トマトとにんにくとバジルのソースを煮ている間に、パスタを茹でます。
        ケーキには小麦粉、卵、砂糖、バターが必要です。オーブンで四十分焼きます。
        じゃがいもと玉ねぎをフライパンで炒め、塩と胡椒で味を付けます。
    """,
    "zh": """
        面团静置一小时，然后加黄油放入烤箱烘烤。
        把洋葱和大蒜切碎，用橄榄油炒到金黄色。
        胡萝卜生姜汤半小时就能做好，热一热味道更好。
        鸡蛋加白糖打发，拌入面粉，把面糊倒进涂了黄油的模具。
        肉用盐和胡椒腌好，放入烤箱慢慢烤。
        番茄、大蒜和罗勒做的酱汁小火煮着，同时把面条煮熟。
        做蛋糕需要面粉、鸡蛋、白糖和黄油，放入烤箱烘烤四十分钟。
        土豆和洋葱放进锅里炒，加盐和胡椒调味。
    """,
}
FOOTBALL = {
    "en": """
        The striker scored twice in the second half and his team won the match.
        The coach praised the defenders after the goalless draw at home.
        The referee gave a penalty and sent the goalkeeper off with a red card.
        The club has signed a young midfielder for the coming season of the league.
        The fans celebrated in the stadium until midnight after winning the cup final.
        In extra time the captain headed the ball into the goal after a corner.
        The team lost the match because the goalkeeper dropped the ball.
        The coach hopes that the striker will score again in the next league match.
    """,
    "de": """
        Der Stürmer traf in der zweiten Halbzeit zweimal, und seine Mannschaft gewann das Spiel.
        Der Trainer lobte die Verteidiger nach dem torlosen Unentschieden im eigenen Stadion.
        Der Schiedsrichter gab einen Elfmeter und zeigte dem Torwart die rote Karte.
        Der Verein hat für die kommende Saison der Liga einen jungen Mittelfeldspieler verpflichtet.
        Die Fans feierten nach dem Sieg im Pokalfinale bis Mitternacht im Stadion.
        In der Verlängerung köpfte der Kapitän den Ball nach einer Ecke ins Tor.
        Die Mannschaft verlor das Spiel, weil der Torwart den Ball fallen ließ.
        Der Trainer hofft, dass der Stürmer im nächsten Spiel der Liga wieder ein Tor schießt.
    """,
    "ru": """
        Нападающий забил два гола во втором тайме, и его команда выиграла матч.
        Тренер похвалил защитников после нулевой ничьей на своём стадионе.
        Судья назначил пенальти и показал вратарю красную карточку.
        Клуб подписал молодого полузащитника на следующий сезон лиги.
        Болельщики праздновали победу в финале кубка на стадионе до полуночи.
        В дополнительное время капитан забил гол головой после углового.
        Команда проиграла матч, потому что вратарь выронил мяч.
        Тренер надеется, что нападающий снова забьёт гол в следующем матче лиги.
    """,
    "ar": """
        سجل المهاجم هدفين في الشوط الثاني وفاز فريقه بالمباراة.
        أشاد المدرب بالمدافعين بعد التعادل في الملعب.
        احتسب الحكم ركلة جزاء وطرد حارس المرمى بالبطاقة الحمراء.
        تعاقد النادي مع لاعب وسط شاب للموسم القادم من الدوري.
        احتفل المشجعون في الملعب حتى منتصف الليل بعد الفوز بنهائي الكأس.
        في الوقت الإضافي سجل القائد هدفاً بالرأس بعد ركلة ركنية.
        خسر الفريق المباراة لأن حارس المرمى أسقط الكرة.
        يأمل المدرب أن يسجل المهاجم هدفاً آخر في مباراة الدوري القادمة.
    """,
    "ja": """
        フォワードが後半に二得点を決め、チームは試合に勝ちました。
        監督は引き分けの試合の後、ディフェンダーを褒めました。
        審判はペナルティキックを与え、ゴールキーパーを退場させました。
        クラブは来シーズンのリーグのために若いミッドフィルダーと契約しました。
        サポーターは決勝戦の勝利を真夜中までスタジアムで祝いました。
        延長戦で主将がコーナーキックからゴールを決めました。
        ゴールキーパーがボールを落とし、チームは試合に負けました。
        監督はフォワードが次のリーグの試合でもゴールを決めると期待しています。
    """,
    "zh": """
        前锋在下半场攻入两球，球队赢得了比赛。
        主教练在平局之后表扬了后卫。
        裁判判罚点球，并向守门员出示红牌。
        俱乐部为下赛季的联赛签下了一名年轻的中场球员。
        球迷们在球场庆祝决赛的胜利直到半夜。
        加时赛中，队长在角球后头球破门。
        守门员没有接住球，球队输掉了比赛。
        主教练希望前锋在下一场联赛的比赛中再次进球。
    """,
}
KEYWORDS = {
    "en": ("oven", "butter", "garlic", "flour", "salt", "pepper", "fry"),
    "de": ("Ofen", "Butter", "Knoblauch", "Mehl", "Salz", "Pfeffer", "braten"),
    "ru": ("духовка", "масло", "чеснок", "мука", "соль", "перец", "обжарить"),
    "ar": ("الفرن", "زبدة", "ثوم", "دقيق", "ملح", "فلفل", "بصل"),
    "ja": ("オーブン", "バター", "にんにく", "小麦粉", "塩", "胡椒", "炒める"),
    "zh": ("烤箱", "黄油", "大蒜", "面粉", "盐", "胡椒", "洋葱"),
}
LANGUAGES = list(KEYWORDS)


def read(text, language, url="https://kitchen.example/"):
    """Return the page that says a text."""
    body = f"<html><body><p>{text}</p></body></html>".encode()
    page = parse_page(body, url, Analyzer(language), "utf-8")
    partition(page)
    return page


def texts_of(subject, language):
    return [line.strip() for line in subject[language].strip().splitlines()]


def pages_of(subject, language):
    return [
        read(text, language, f"https://host.example/{number}")
        for number, text in enumerate(texts_of(subject, language))
    ]


def named(topic, language):
    """Return the topic with nothing but words of a language."""
    return replace(topic, language=language, title="", description="", keywords=KEYWORDS[language])


def learnt(topic, language):
    relevant, other = pages_of(COOKING, language), pages_of(FOOTBALL, language)
    analyzer = Analyzer(language)
    topic = named(topic, language)
    return train(topic, relevant[:LEARNT], other[:LEARNT], SETTINGS, analyzer)[0]


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def model(topic, language):
    """A model of six short pages of each kind."""
    return learnt(topic, language)


def test_pages_that_it_never_saw(model, language):
    """A handful of examples tells cooking from football in every language."""
    relevances = [
        [model.classifier.relevance(page) for page in pages_of(subject, language)[LEARNT:]]
        for subject in (COOKING, FOOTBALL)
    ]
    assert min(relevances[0]) > max(relevances[1])


def test_texts_are_like_the_topic(model, language):
    """So are links and blocks told apart, which are compared with the topic's vector."""
    similarities = [
        [model.vector.similarity(page.sections.body) for page in pages_of(subject, language)[LEARNT:]]
        for subject in (COOKING, FOOTBALL)
    ]
    assert min(similarities[0]) > max(similarities[1])


def test_words_alone(topic, language):
    """A topic without examples knows most of its pages by its keywords."""
    model = TopicModel.cold(named(topic, language), Analyzer(language))
    cooking, football = (
        [model.classifier.relevance(page) for page in pages_of(subject, language)]
        for subject in (COOKING, FOOTBALL)
    )
    assert sorted(cooking)[2] > 0.5 > max(football)


@pytest.mark.parametrize(
    ("own", "foreign"), [("en", "ja"), ("de", "en"), ("de", "ja"), ("ru", "en"), ("zh", "en"), ("ja", "en")]
)
def test_mixed_pages(topic, own, foreign):
    """Of a page in two languages a topic understands its own half, whatever the other is about."""
    model = learnt(topic, own)
    for beside in (COOKING, FOOTBALL):
        cooking, football = (
            [
                model.classifier.relevance(read(f"{text} {texts_of(beside, foreign)[0]}", own))
                for text in texts_of(subject, own)[LEARNT:]
            ]
            for subject in (COOKING, FOOTBALL)
        )
        assert min(cooking) > max(football)


def test_links_in_text_without_spaces():
    """Six characters are five terms of an anchor, and a context reaches ten pairs either way."""
    before, after = "卵と砂糖を泡立ててから小麦粉を加え", "オーブンで四十分ほど焼いてください"
    page = read(f'{before}<a href="/cake">ケーキの作方</a>{after}', "ja")
    (link,) = page.links
    assert link.anchor == ["ケー", "ーキ", "キの", "の作", "作方"]
    assert link.context == [*Analyzer("ja").terms(before)[-10:], *Analyzer("ja").terms(after)[:10]]


def test_blocks_of_text_without_spaces():
    """Eleven characters make ten terms, and so a block of their own."""
    analyzer = Analyzer("zh")
    long, short = "面团静置一小时然后烘烤", "放入烤箱烤"
    body = f"<div><p>{long}</p><p>{long}</p><p>{short}</p></div>".encode()
    page = parse_page(body, "https://kitchen.example/", analyzer, "utf-8")
    partition(page)
    assert [block.terms for block in page.blocks] == [
        analyzer.terms(long),
        analyzer.terms(long) + analyzer.terms(short),
    ]


ONE_CHARACTER = {
    "zh": ("茶", "我喜欢喝茶。绿茶和红茶都很好喝，茶叶来自中国，茶园在山上。"),
    "ja": ("猫", "猫は可愛い。うちの猫が寝ている。子猫を飼い、猫と暮らす。"),
}


@pytest.mark.parametrize("language", ONE_CHARACTER)
def test_a_keyword_of_one_character(topic, language):
    """It is found in running text, which has it in pairs alone; pages about other things lack it."""
    keyword, text = ONE_CHARACTER[language]
    about = replace(named(topic, language), title=keyword, keywords=(keyword,))
    model = TopicModel.cold(about, Analyzer(language))
    assert model.classifier.relevance(read(text, language)) > 0.5
    for page in pages_of(COOKING, language) + pages_of(FOOTBALL, language):
        assert model.classifier.relevance(page) < 0.1
