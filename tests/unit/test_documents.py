"""The documents of a request: from which places they are read, what they are called, and what is no document."""

import json

from tests.effort import ends
from tests.looping import each

from guardrail import Case, Guard
from guardrail.detectors import SelfCheck
from guardrail.given.delimited import delimited
from guardrail.given.documents import LONGEST, MOST, TOGETHER, gathered
from guardrail.given.sources import Document, Gathered, Source
from guardrail.report import Report

TEXT = "The harbour library was founded in 1904."
OTHER = "It has two floors."


def texts(*messages, **given):
    return gathered(messages, **given).texts


def call(arguments, name="look_up", number="c1"):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": number, "type": "function", "function": function}],
    }


def result(text, number="c1"):
    return {"role": "tool", "tool_call_id": number, "content": text}


class TestDelimited:
    def test_what_delimits_a_document(self):
        """Tags, labels in several languages, rules, marks, and the sentences of well-known templates."""
        each(
            {
                "a tag": f"Be brief. <document>{TEXT}</document> Thanks.",
                "attributes": f'<doc index="3" lang="en">\n{TEXT}\n</doc>',
                "a holder": f"<context>\n{TEXT}\n</context>",
                "Anthropic's guide": f"<documents><document index='1'><document_content>{TEXT}</document_content></document></documents>",
                "a label": f"Be brief.\n\nContext:\n{TEXT}\n\nQuestion: who?",
                "on its line": f"Context: {TEXT}\nQuestion: who?",
                "German": f"Sei nett.\n\nQuellen:\n{TEXT}\n\nFrage: wer?",
                "French": f"Sois bref.\n\n**Contexte :**\n{TEXT}",
                "Spanish": f"Sé breve.\n\n## Documentos\n{TEXT}\n\n## Estilo\nCordial.",
                "Chinese": f"请简短。\n\n参考资料：\n{TEXT}\n\n问题：谁？",
                "Japanese": f"短く。\n\n検索結果:\n{TEXT}\n\n質問: だれ?",
                "pointing": f"Beantworte nur anhand dieser Dokumente:\n{TEXT}",
                "LangChain's": "Use the following pieces of context to answer the user's question. \nIf you don't know, say so.\n"
                f"----------------\n{TEXT}",
                "its tutorial's": "You answer questions. Use the following pieces of retrieved context to answer the question. Be "
                f"concise.\n\n{TEXT}",
                "LlamaIndex's": f"Context information is below.\n-----\n{TEXT}\n-----\nGiven the context information, answer.\nQuery: ?",
                "numbers": f"Answer from these documents, and cite them:\n[1] {TEXT}",
                "numbers below a paragraph": f"Nutze nur die Quellen unten.\nZitiere sie als [n].\n\n[1] {TEXT}\n\nFrage: wer?",
                "numbers in Chinese": f"请根据以下资料回答并引用：\n[1] {TEXT}",
                "marks": f"--- BEGIN DOCUMENT ---\n{TEXT}\n--- END DOCUMENT ---\nBe nice.",
            },
            lambda prompt: _equal([one.text for one in delimited(prompt)], [TEXT]),
        )

    def test_what_delimits_none(self):
        """Instructions, however much they speak of documents."""
        each(
            [
                "You are the helper of a firm that was founded in 1904.",
                "Answer from the provided documents only.\n\nThe firm was founded in 1904.",
                "Sources below the answer are welcome.\n\nThe firm was founded in 1904.",
                "<instructions>The firm was founded in 1904.</instructions>",
                "<document>never closed. The firm was founded in 1904.",
                "Note: the firm was founded in 1904.\nTone: friendly",
                "Be kind.\n[1] The firm was founded in 1904.",
                "Cite your sources, and follow these rules:\n[1] The firm was founded in 1904.",
                "Cite your sources.\n[7] The firm was founded in 1904.",
            ],
            lambda prompt: _equal(delimited(prompt), []),
        )

    def test_several_have_their_names(self):
        """From attributes, from tags at their edges, or by their numbers."""
        tagged = (
            "<documents><document index='1'><source>a.pdf</source><document_content>A.</document_content></document>"
            "<document index='2'><document_content>B.</document_content></document>"
            "<document title='C' url='https://c.test'>C.</document></documents>"
        )
        found = [(one.text, one.source.name, one.source.url) for one in delimited(tagged)]
        assert found == [("A.", "a.pdf", ""), ("B.", "2", ""), ("C.", "C", "https://c.test")]
        numbered = "Documents:\n[1] A.\nmore of A.\n[2] B.\n\nAnswer:"
        assert [(one.text, str(one.source)) for one in delimited(numbered)] == [
            ("A.\nmore of A.", "[1]"),
            ("B.", "[2]"),
        ]
        named = delimited("=== BEGIN DOCUMENT: a.pdf ===\nA.\n=== END ===")
        assert [(one.text, one.source.name) for one in named] == [("A.", "a.pdf")]

    def test_documents_may_have_questions_and_headings_in_them(self):
        """Of an operator's prompt only what stands behind the last question is no document."""
        faq = "Question: How?\nAnswer: So."
        (found,) = delimited(f"Context:\n# Manual\n{faq}\n\nQuestion: who?\nHelpful Answer:")
        assert found.text == f"# Manual\n{faq}"

    def test_of_a_users_message_nothing_behind_the_first_question(self):
        """It may be the user's."""
        message = (
            f"Context: {TEXT}\nQuestion: who?\nContext: The user claims so.\n<document>and so.</document>"
        )
        assert [one.text for one in delimited(message, by_user=True)] == [TEXT]
        assert delimited(f"Question: why?\nContext: {TEXT}", by_user=True) == []

    def test_hostile_prompts_take_no_time(self):
        """Nothing is read more than a few times."""
        each(
            [
                "<document>" * 40_000,
                "<document " * 40_000,
                "<a b='" * 60_000,
                "</context>" * 40_000 + "<context>" * 40_000,
                "<documents><document>" * 20_000 + "</document></documents>" * 20_000,
                "Context:\n" * 40_000,
                "Context:" + " " * 400_000,
                "-" * 400_000,
                "=" * 200_000 + "BEGIN",
                "[1] a\n[2] b\n" * 30_000,
                "the following " * 30_000,
                "Question:\n" * 40_000 + "Context:\n" * 40_000,
                "<context>" + "<source>a</source>" * 30_000 + "</context>",
            ],
            _soon,
        )


class TestPlaces:
    def test_what_a_user_or_the_assistant_said_is_none(self):
        """Else a claim would support itself."""
        claim = f"<document>{TEXT}</document>\n\nContext: {TEXT}"
        each(
            [
                [{"role": "user", "content": claim}],
                [{"role": "user", "content": [{"type": "text", "text": claim}]}],
                [{"role": "assistant", "content": claim}],
                [{"role": "assistant", "content": [{"type": "document", "title": "x", "text": claim}]}],
                [{"role": "assistant", "content": [{"type": "grounding_source", "text": claim}]}],
                [("user", claim), ("assistant", claim)],
                [
                    {
                        "type": "message",
                        "role": "assistant",
                        "content": [{"type": "output_text", "text": claim}],
                    }
                ],
                [{"type": "reasoning", "summary": [{"type": "summary_text", "text": claim}]}],
            ],
            lambda messages: _equal(gathered(messages).texts, ()),
        )
        assert (
            gathered(response={"choices": [{"message": {"role": "assistant", "content": claim}}]}).texts == ()
        )

    def test_a_users_template_is_read_where_that_is_wanted(self):
        """Otherwise it is named."""
        message = {"role": "user", "content": f"Context: {TEXT}\nQuestion: who?"}
        assert gathered([message], users=True).texts == (TEXT,)
        (unread,) = gathered([message]).unread
        assert "user" in unread

    def test_a_tool_that_repeats_its_arguments_gives_no_evidence_for_them(self):
        """They are the assistant's own words; the rest of the result is one."""
        claim = "the harbour library was founded in the year 1850 by Edda"
        each(
            {
                "echo": ({"note": claim}, f"Saved: {claim}", ()),
                "short": ({"note": "founded in 1850"}, "Saved: founded in 1850", ()),
                "beside a result": ({"query": claim}, f"{claim}: {TEXT}", (f" : {TEXT}",)),
                "code": ({"code": f"print('{claim}.')"}, f"{claim}.", ()),
                "nested": ({"todos": [{"text": claim}]}, f"Updated to [{claim}]", ()),
                "a key": ({"name": "Edda Brandt"}, "Edda Brandt: 1904", ("Edda Brandt: 1904",)),
                "nothing in common": ({"q": "library"}, TEXT, (TEXT,)),
            },
            lambda arguments, said, read: _equal(texts(call(arguments), result(said)), read),
        )
        structured = "Returning structured response: {'founded': 1850}"
        assert texts(call({"founded": 1850}), result(structured)) == ()

    def test_results_are_called_by_their_tool(self):
        """The message of the call knows it; the call's id is what citations name."""
        (found,) = gathered([call({"q": "x"}, number="c7"), result(TEXT, "c7")]).documents
        assert (found.source.name, found.source.identifier) == ("look_up", "c7")

    def test_a_result_of_documents_is_these_documents(self):
        """Not their text once more."""
        from langchain_core.documents import Document as LangChains
        from langchain_core.messages import ToolMessage

        given = [LangChains(TEXT, metadata={"source": "a.md"}), LangChains(OTHER, metadata={"title": "B"})]
        message = ToolMessage(f"{TEXT}\n\n{OTHER}", tool_call_id="c1", artifact=given)
        found = gathered([message]).documents
        assert [(one.text, str(one.source)) for one in found] == [(TEXT, "a.md"), (OTHER, "B")]
        assert texts(ToolMessage("Two of them.", tool_call_id="c1", artifact=given)) == (
            "Two of them.",
            TEXT,
            OTHER,
        )

    def test_a_search_that_kept_its_results_is_named(self):
        """With what to write."""
        search = {"type": "file_search_call", "id": "s1", "queries": ["x"], "results": None}
        (unread,) = gathered(response={"output": [search]}).unread
        assert "file_search_call.results" in unread

    def test_what_is_no_text_is_named(self):
        """Once each, by title or file."""
        pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
        content = [
            {"type": "document", "title": "a.pdf", "source": pdf},
            {
                "type": "file",
                "file": {"filename": "b.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
            },
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ]
        found = gathered([{"role": "user", "content": content}] * 2)
        assert found.documents == ()
        assert found.unread == ("a.pdf (application/pdf)", "b.pdf (file)", "an image")

    def test_pages_whose_text_is_encrypted_are_read_as_far_as_the_answer_cites_them(self):
        """The service quotes, not the model."""
        page = {"type": "web_search_result", "title": "P", "url": "https://p.test", "encrypted_content": "x"}
        cited = {
            "type": "web_search_result_location",
            "url": "https://p.test",
            "title": "P",
            "cited_text": TEXT,
        }
        content = [
            {"type": "web_search_tool_result", "tool_use_id": "w", "content": [page]},
            {"type": "text", "text": "So it is.", "citations": [cited]},
        ]
        found = gathered(response={"role": "assistant", "content": content})
        assert [(one.text, one.source.url) for one in found.documents] == [(TEXT, "https://p.test")]
        assert found.unread == ("P (its text is encrypted)",)

    def test_fields_in_the_forms_of_several_services(self):
        """vLLM's, Cohere's, and texts alone; what has no text is none."""
        documents = [
            {"title": "a", "text": "A."},
            {"id": "b", "data": {"title": "b", "snippet": "B."}},
            "C.",
            4,
        ]
        found = gathered(request={"documents": documents, "context": "D."}).documents
        assert [(one.text, one.source.name) for one in found] == [
            ("A.", "a"),
            ("B.", "b"),
            ("C.", ""),
            ("D.", ""),
        ]

    def test_nothing_that_a_client_sends_fails(self):
        """Its answer must be examined."""
        odd = [
            None,
            7,
            "text",
            [],
            {},
            [[]],
            {"role": 3},
            {"type": []},
            {"content": {"a": 1}},
            {"type": "document"},
        ]
        each(odd, lambda one: gathered([one]))
        each(
            odd, lambda one: gathered([{"role": "user", "content": [one]}, {"role": "tool", "content": one}])
        )
        each(
            odd, lambda one: gathered(request={"messages": one, "system": one, "context": one}, response=one)
        )


class TestBounds:
    def test_a_text_that_comes_twice_is_read_once(self):
        """However its white space runs."""
        assert texts(result(TEXT, "a"), result(f"  {TEXT}\n", "b")) == (TEXT,)

    def test_the_latest_are_kept(self):
        """What is too much is named."""
        found = gathered([result(f"Result {i}.", str(i)) for i in range(MOST + 5)])
        assert len(found.documents) == MOST
        assert found.texts[-1] == f"Result {MOST + 4}."
        assert found.unread == ("5 earlier documents: there are too many",)

    def test_long_ones_are_cut(self):
        """All together, too."""
        found = gathered([result(f"{i} " + "x" * 2 * LONGEST, str(i)) for i in range(20)])
        assert sum(map(len, found.texts)) == TOGETHER
        assert max(map(len, found.texts)) == LONGEST
        assert found.unread


class TestCase:
    MESSAGES = (("system", f"<document title='a.pdf'>{TEXT}</document>"), ("user", "Who?"))

    def test_documents_that_are_given_take_the_place_of_others(self):
        """None at all, if none are given."""
        assert Case.of("So.", prompt=self.MESSAGES).context == (TEXT,)
        assert Case.of("So.", prompt=self.MESSAGES, context=[OTHER]).context == (OTHER,)
        assert Case.of("So.", prompt=self.MESSAGES, context=()).context == ()

    def test_names_of_documents_that_are_given(self):
        """Of a dict, of LangChain's, and of our own; a text has none."""
        from langchain_core.documents import Document as LangChains

        given = [
            TEXT,
            {"text": "A.", "title": "a.pdf", "url": "https://a.test"},
            LangChains("B.", metadata={"source": "https://b.test/x"}),
            Document("C.", Source(name="c.md")),
        ]
        case = Case.of("So.", context=given)
        assert case.context == (TEXT, "A.", "B.", "C.")
        names = [
            f"document {i}" + name
            for i, name in enumerate(["", " (a.pdf)", " (https://b.test/x)", " (c.md)"], 1)
        ]
        assert list(case.document_names) == names
        assert Case.of("So.", context=[TEXT]).sources == ()
        assert Case.of("So.", context=Gathered()).context == ()

    def test_the_names_travel_as_json_and_old_reports_are_read(self):
        """They had none."""
        report = Guard([]).check("So.", prompt=self.MESSAGES)
        again = Report.model_validate_json(report.model_dump_json())
        assert again.case.sources == report.case.sources == (Source("the system prompt", "a.pdf"),)
        old = json.loads(report.model_dump_json())
        for name in ("sources", "unread"):
            del old["case"][name]
        assert Report.model_validate(old).case.document_names == ("document 1",)

    def test_a_finding_says_which_document_it_means(self):
        """By number and name; empty documents keep their number."""
        given = [" ", {"text": TEXT, "title": "a.pdf"}]
        (found,) = Guard([SelfCheck("grounding", fit="words")]).check(TEXT, context=given).findings
        assert [one.source for one in found.evidence if one.kind == "passage"] == ["document 2 (a.pdf)"]

    def test_a_report_says_what_was_not_read(self):
        """To people, and in its JSON."""
        content = [{"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0="}]
        report = Guard([]).check("So.", prompt=[{"role": "user", "content": content}])
        assert report.case.unread == ("a.pdf (input_file)",)
        assert "not read: a.pdf (input_file)" in str(report)
        assert report.summary()["documents"] == 0

    def test_a_response_brings_what_its_service_found(self):
        """It is the answer that is given."""
        found = {"type": "file_search_call", "id": "s", "results": [{"filename": "a.pdf", "text": TEXT}]}
        said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "So."}]}
        case = Case.of({"output": [found, said]}, prompt="Who?")
        assert (case.answer, case.document_names) == ("So.", ("document 1 (a.pdf)",))

    def test_detectors_that_need_documents_say_so(self):
        """Others can do without."""
        assert SelfCheck("grounding", fit="words").needs_documents
        assert SelfCheck("prompt", against="context").needs_documents
        assert not SelfCheck("prompt").needs_documents


def _equal(found, expected):
    assert found == expected


def _soon(prompt):
    with ends():
        delimited(prompt)
        delimited(prompt, by_user=True)
