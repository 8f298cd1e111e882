package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EndpointComparerTest {
  private static final Random RANDOM = new Random(1);

  /** The report on one scenario; both servers also answer the deletion at its end. */
  private static ComparisonReport compare(
      Function<String, String> reference, Function<String, String> candidate, String steps)
      throws IOException {
    try (CannedServer left = new CannedServer(reference);
        CannedServer right = new CannedServer(candidate)) {
      return new EndpointComparer(left.uri(), right.uri(), RANDOM)
          .run(CorpusReader.parse("test", "== scenario\n" + steps));
    }
  }

  private static ComparisonReport compare(String reference, String candidate) throws IOException {
    return compare(line -> reference, line -> candidate, "--\nGET /a\n");
  }

  /** The report where the reference answers 0 once, and 240 from then on. */
  private static ComparisonReport compareWithOddFirstAnswer(String candidate) throws IOException {
    AtomicInteger asked = new AtomicInteger();
    return compare(
        line ->
            json(
                line.startsWith("GET") && asked.getAndIncrement() == 0
                    ? "{\"a\":0}"
                    : "{\"a\":240}"),
        line -> json(candidate),
        "--\nGET /a\n");
  }

  private static String json(String body) {
    return CannedServer.json(body);
  }

  @Test
  void findsNothingInAnswersThatDifferInTimesOnly() throws Exception {
    ComparisonReport report = compare(json("{\"took\":1,\"a\":2}"), json("{\"took\":123,\"a\":2}"));

    assertThat(report.findings()).isEmpty();
    assertThat(report).hasToString("1 requests, 0 answered differently");
  }

  /** The report where the reference answers each GET with the next of several bodies. */
  private static ComparisonReport compareWithTurns(List<String> reference, String candidate)
      throws IOException {
    AtomicInteger asked = new AtomicInteger();
    return compare(
        line ->
            json(
                line.startsWith("GET")
                    ? reference.get(asked.getAndIncrement() % reference.size())
                    : "{}"),
        line -> candidate,
        "--\nGET /a\n");
  }

  @Test
  void ignoreDifferencesThatTheReferenceHasItself() throws Exception {
    ComparisonReport report =
        compareWithTurns(List.of("{\"a\":0}", "{\"a\":1}"), json("{\"a\":1}"));

    assertThat(report.findings()).isEmpty();
    assertThat(report.flakyFindings()).hasSize(1);
    assertThat(report).hasToString("1 requests, 0 answered differently, 1 by chance");
  }

  @Test
  void reportAThirdAnswerWhereTheReferenceHasTwo() throws Exception {
    ComparisonReport report =
        compareWithTurns(List.of("{\"a\":0}", "{\"a\":1}"), json("{\"a\":2}"));

    assertThat(report.flakyFindings()).isEmpty();
    assertThat(report.findings())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.differences()).containsExactly(new Difference("body a", "0", "2")));
  }

  @Test
  void reportOnlyWhatTheReferenceDoesNotChangeItself() throws Exception {
    ComparisonReport report =
        compareWithTurns(
            List.of("{\"a\":0,\"total\":7}", "{\"a\":1,\"total\":7}"),
            "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=UTF-8\r\n"
                + "warning: none\r\ncontent-length: 17\r\n\r\n{\"a\":1,\"total\":8}");

    assertThat(report.findings())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.differences())
                .containsExactly(
                    new Difference("header warning", "[]", "[none]"),
                    new Difference("body total", "7", "8")));
  }

  @Test
  void reportAStatusThatTheReferenceNeverGives() throws Exception {
    ComparisonReport report =
        compareWithTurns(
            List.of("{\"a\":0}", "{\"a\":1}"),
            "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json;"
                + " charset=UTF-8\r\ncontent-length: 7\r\n\r\n{\"a\":1}");

    assertThat(report.findings())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.differences())
                .containsExactly(new Difference("status", "200", "500")));
  }

  @Test
  void ignoreNumbersOfWhichTheReferenceGivesAnotherEachTime() throws Exception {
    List<String> counted = IntStream.range(0, 40).mapToObj(i -> "{\"a\":" + i + "}").toList();

    assertThat(compareWithTurns(counted, json("{\"a\":777}")).findings()).isEmpty();
    assertThat(compareWithTurns(counted, json("{\"a\":null}")).findings()).hasSize(1);
  }

  @Test
  void ignoreAnAnswerThatTheReferenceGivesAnotherTime() throws Exception {
    ComparisonReport report = compareWithOddFirstAnswer("{\"a\":240}");

    assertThat(report.findings()).isEmpty();
    assertThat(report.flakyFindings()).hasSize(1);
  }

  @Test
  void reportAnAnswerThatTheReferenceNeverGives() throws Exception {
    ComparisonReport report = compareWithOddFirstAnswer("{\"a\":241}");

    assertThat(report.findings()).hasSize(1);
    assertThat(report.flakyFindings()).isEmpty();
  }

  @Test
  void reportsStatusHeadersAndBody() throws Exception {
    ComparisonReport report =
        compare(
            json("{\"a\":1}"),
            "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\nX-More: 1\r\n"
                + "Content-Length: 7\r\n\r\n{\"a\":2}");

    assertThat(report)
        .hasToString(
            """
            scenario: GET /a (test:2)
                status
                  reference 200
                  candidate 404
                header content-type
                  reference [application/json; charset=UTF-8]
                  candidate [text/plain]
                header x-more
                  reference []
                  candidate [1]
                body a
                  reference 1
                  candidate 2
            1 requests, 1 answered differently\
            """);
  }

  @Test
  void reportsWhiteSpaceAndEscapesWhenValuesAreTheSame() throws Exception {
    assertThat(compare(json("{\"took\":1,\"a\":2}"), json("{\"took\":1, \"a\":2}")).findings())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.differences())
                .containsExactly(
                    new Difference(
                        "body text from character 17",
                        "{\"took\":<masked>,\"a\":2}",
                        "{\"took\":<masked>, \"a\":2}")));
  }

  @Test
  void comparesTextThatIsNoJson() throws Exception {
    String head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\n";

    assertThat(compare(head + "ab\nc", head + "ab\nc").findings()).isEmpty();
    assertThat(compare(head + "ab\nc", head + "ab\nd").findings().getFirst().differences())
        .containsExactly(new Difference("body text from character 3", "ab\\nc", "ab\\nd"));
  }

  @Test
  void readsChunksAndComparesThemWithAWholeBody() throws Exception {
    ComparisonReport report =
        compare(
            json("{\"a\":1}"),
            "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=UTF-8\r\n"
                + "transfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n");

    assertThat(report.findings().getFirst().differences())
        .containsExactly(
            new Difference("header content-length", "[(present)]", "[]"),
            new Difference("header transfer-encoding", "[]", "[chunked]"));
  }

  @Test
  void takesNoAnswerOnBothSidesForTheSame() throws Exception {
    assertThat(compare("", "").findings()).isEmpty();
    assertThat(compare(json("{}"), "").findings().getFirst().differences())
        .contains(new Difference("status", "200", "no answer"));
  }

  @Test
  void doesNotCompareNamesMadeUpForEachSide() throws Exception {
    Function<String, String> echo = line -> json("{\"path\":\"" + line.split(" ", 3)[1] + "\"}");

    assertThat(compare(echo, echo, "--\nGET /{run}-index/_doc/1\n").findings()).isEmpty();
  }

  @Test
  void substituteEarlierResponsesOfEachSide() throws Exception {
    Function<String, String> reference =
        line -> json(line.contains("first") ? "{\"_id\":\"left-id\"}" : "{\"l\":\"left-id\"}");
    Function<String, String> candidate =
        line -> json(line.contains("first") ? "{\"_id\":\"right-one\"}" : "{\"l\":\"right-one\"}");
    try (CannedServer left = new CannedServer(reference);
        CannedServer right = new CannedServer(candidate)) {
      ComparisonReport report =
          new EndpointComparer(left.uri(), right.uri(), RANDOM)
              .run(
                  CorpusReader.parse(
                      "test", "== s\n-- capture=doc:_id\nPOST /first\n--\nGET /second/{doc}\n"));

      assertThat(report.findings()).isEmpty();
      assertThat(left.requestLines()).contains("GET /second/left-id HTTP/1.1");
      assertThat(right.requestLines()).contains("GET /second/right-one HTTP/1.1");
    }
  }

  @Test
  void sendOneTimeRequestsOnlyToTheReference() throws Exception {
    try (CannedServer left = new CannedServer(line -> json("{}"));
        CannedServer right = new CannedServer(line -> json("{}"))) {
      new EndpointComparer(left.uri(), right.uri(), RANDOM)
          .run(CorpusReader.parse("test", "== s\n-- once\nPUT /a\n"));

      assertThat(left.requestLines()).hasSize(2).first().isEqualTo("PUT /a HTTP/1.1");
      assertThat(left.requestLines().getLast()).startsWith("DELETE /q");
      assertThat(right.requestLines()).isEmpty();
    }
  }

  @Test
  void reportsASetUpThatFails() throws Exception {
    String refusal = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno";

    assertThat(compare(line -> json("{}"), line -> refusal, "-- both\nPUT /a\n").findings())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.differences())
                .containsExactly(new Difference("a step that must succeed", "200 {}", "400 no")));
  }

  @Test
  void reportsAnAnswerThatIsNoHttp() throws Exception {
    assertThat(compare(json("{}"), "HTTP/9.9 200 OK\r\n\r\n").findings().getFirst().differences())
        .contains(
            new Difference(
                "status", "200", "got the status line [HTTP/9.9 200 OK] (expected: HTTP/1.1 NNN)"));
  }

  @Test
  void takesAllowedMethodsForASet() throws Exception {
    String head = "HTTP/1.1 405 Method Not Allowed\r\nallow: ";
    String one = head + "GET,POST\r\ncontent-length: 27\r\n\r\n\"x, allowed: [GET, POST]..\"";
    String other = head + "POST,GET\r\ncontent-length: 27\r\n\r\n\"x, allowed: [POST, GET]..\"";
    String more = head + "POST,PUT\r\ncontent-length: 27\r\n\r\n\"x, allowed: [POST, PUT]..\"";

    assertThat(compare(one, other).findings()).isEmpty();
    assertThat(compare(one, more).findings().getFirst().differences()).hasSize(2);
  }

  @Test
  void comparesWhetherAnIndexIsKnownButNotItsUuid() throws Exception {
    String one = json("{\"index_uuid\":\"a\"}");

    assertThat(compare(one, json("{\"index_uuid\":\"b\"}")).findings()).isEmpty();
    assertThat(compare(one, json("{\"index_uuid\":\"_na_\"}")).findings()).hasSize(1);
  }

  @Test
  void saysWhomItCannotReach() throws Exception {
    URI nobody;
    try (CannedServer gone = new CannedServer(line -> "")) {
      nobody = gone.uri();
    }
    EndpointComparer comparer = new EndpointComparer(nobody, nobody, RANDOM);

    assertThatThrownBy(() -> comparer.run(CorpusReader.parse("test", "== s\n--\nGET /\n")))
        .hasMessageStartingWith("cannot connect to /127.0.0.1:" + nobody.getPort());
  }

  @Test
  void comparesOtherFormatsAsTreesAndAsBytes() throws Exception {
    String yaml = "HTTP/1.1 200 OK\r\ncontent-type: application/yaml\r\ncontent-length: ";
    String one = yaml + "18\r\n\r\n---\ntook: 1\na: 'x'";
    String later = yaml + "18\r\n\r\n---\ntook: 7\na: 'x'";
    String plain = yaml + "16\r\n\r\n---\ntook: 1\na: x";

    assertThat(compare(one, later).findings()).isEmpty();
    assertThat(compare(one, plain).findings().getFirst().differences())
        .singleElement()
        .satisfies(difference -> assertThat(difference.location()).startsWith("body bytes from"));
  }
}
