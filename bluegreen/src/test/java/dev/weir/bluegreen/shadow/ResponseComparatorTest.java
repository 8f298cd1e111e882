package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Different;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.NotComparable;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Same;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Similar;
import dev.weir.bluegreen.shadow.HitsComparator.Paging;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ResponseComparatorTest {
  private static final String JSON = "application/json; charset=UTF-8";
  private static final Paging PLAIN = new Paging(false, false, false);

  // Responses of a node.

  private static final String SEARCH =
      """
      {"took":3,"timed_out":false,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0},
       "hits":{"total":{"value":3,"relation":"eq"},"max_score":1.2,"hits":[
        {"_index":"logs-1","_id":"a","_score":1.2,"_source":{"n":1,"text":"x y","on":true}},
        {"_index":"logs-1","_id":"b","_score":1.1,"_source":{"n":2.50,"tags":["u","v"]}},
        {"_index":"logs-1","_id":"c","_score":0.7,"_source":{"n":null}}]},
       "aggregations":{
        "colors":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[
          {"key":"red","doc_count":200,"sum":{"value":1000.0}},
          {"key":"blue","doc_count":100,"sum":{"value":77.5}}]},
        "days":{"buckets":[{"key_as_string":"2026-01-01","key":1767225600000,"doc_count":7}]},
        "p":{"values":{"50.0":1.5,"99.0":9.0}}}}
      """;

  private static DifferenceCollector findings(
      ReadKind kind, String primary, String shadow, Paging paging) {
    return new ResponseComparator(kind, new ResponseComparator.Tolerances(0.01, 0.99), paging)
        .compare(seen(200, primary), seen(200, shadow));
  }

  private static CapturedResponse seen(int status, String body) {
    return new CapturedResponse(status, JSON, body.getBytes(StandardCharsets.UTF_8), 1);
  }

  private static ComparisonVerdict search(String primary, String shadow) {
    return findings(ReadKind.SEARCH, primary, shadow, PLAIN).toVerdict();
  }

  private static Kind onlyKind(ComparisonVerdict verdict) {
    assertThat(verdict).isInstanceOf(Different.class);
    List<ComparisonVerdict.Difference> found = ((Different) verdict).differences();
    assertThat(found).hasSize(1);
    return found.getFirst().kind();
  }

  @Test
  void ignoreIrrelevantFields() {
    String elsewhere =
        SEARCH
            .replace("\"took\":3", "\"took\":31")
            .replace("\"total\":2,\"successful\":2", "\"total\":5,\"successful\":5")
            .replace("\"_index\":\"logs-1\"", "\"_version\":7,\"_index\":\"logs-v2-1\"")
            .replace("\"_score\":1.1", "\"_score\":1.15")
            .replace("2.50", "25e-1")
            .replace("\"max_score\":1.2", "\"max_score\":1.3")
            .replace("\"doc_count_error_upper_bound\":0", "\"doc_count_error_upper_bound\":4");
    DifferenceCollector findings = findings(ReadKind.SEARCH, SEARCH, elsewhere, PLAIN);
    assertThat(findings.toVerdict()).isEqualTo(new Same());
    assertThat(findings.minOverlap()).isEqualTo(1);
    assertThat(findings.maxScoreDeviation()).isBetween(0.04, 0.05);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"value\":3,\"relation\":\"eq\" | \"value\":4,\"relation\":\"eq\" | TOTAL",
        "\"value\":3,\"relation\":\"eq\" | \"value\":3,\"relation\":\"gte\" | TOTAL",
        "\"_id\":\"a\" | \"_id\":\"z\" | HITS",
        "\"n\":1, | \"n\":2, | SOURCE",
        "[\"u\",\"v\"] | [\"v\",\"u\"] | SOURCE",
        "\"n\":null | \"n\":0 | SOURCE",
        "\"n\":null | \"m\":null | SOURCE",
        "\"doc_count\":200 | \"doc_count\":196 | AGGREGATIONS",
        "77.5 | 80 | AGGREGATIONS",
        "\"key\":\"red\" | \"key\":\"green\" | AGGREGATIONS",
        "\"99.0\":9.0 | \"95.0\":9.0 | AGGREGATIONS",
        "\"aggregations\" | \"other\" | AGGREGATIONS"
      })
  void findDifferences(String there, String elsewhere, Kind kind) {
    assertThat(SEARCH).contains(there);
    assertThat(onlyKind(search(SEARCH, SEARCH.replace(there, elsewhere)))).isEqualTo(kind);
    assertThat(onlyKind(search(SEARCH.replace(there, elsewhere), SEARCH))).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"doc_count\":200 | \"doc_count\":199",
        "1000.0 | 1009.9",
        "\"99.0\":9.0 | \"99.0\":8.95"
      })
  void aggregationsMayBeApartByTheTolerance(String there, String elsewhere) {
    assertThat(SEARCH).contains(there);
    assertThat(search(SEARCH, SEARCH.replace(there, elsewhere))).isEqualTo(new Similar());
  }

  @Test
  void showADifferenceWithItsPath() {
    ComparisonVerdict verdict = search(SEARCH, SEARCH.replace("\"n\":1,", "\"n\":2,"));
    assertThat(verdict)
        .isEqualTo(
            new Different(
                List.of(
                    new ComparisonVerdict.Difference(
                        Kind.SOURCE, "hits.hits[a]._source.n", "1", "2"))));
    String longer = SEARCH.replace("x y", "x\\ny".repeat(1000));
    Different different = (Different) search(SEARCH, longer);
    assertThat(different.differences().getFirst().shadow())
        .hasSizeLessThan(200)
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"timed_out\":false | \"timed_out\":true | TIMED_OUT",
        "\"failed\":0 | \"failed\":1 | FAILED_SHARDS"
      })
  void skipPartialResponses(String there, String elsewhere, Reason reason) {
    String part = SEARCH.replace(there, elsewhere).replace("\"_id\":\"a\"", "\"_id\":\"z\"");
    assertThat(search(SEARCH, part)).isEqualTo(new NotComparable(reason));
    assertThat(search(part, SEARCH)).isEqualTo(new NotComparable(reason));
  }

  @Test
  void skipSearchesWithTerminateAfter() {
    String early =
        SEARCH.replace("\"timed_out\":false", "\"timed_out\":false,\"terminated_early\":true");
    assertThat(search(SEARCH, early)).as("as it happens, without a loss").isEqualTo(new Same());
    assertThat(findings(ReadKind.SEARCH, SEARCH, early, new Paging(false, false, true)).toVerdict())
        .isEqualTo(new NotComparable(Reason.TERMINATED_EARLY));
  }

  @Test
  void lowerBoundsOfTotalsAgreeUnlessTheyContradict() {
    assertThat(search(page(total(10_000, "gte")), page(total(9_000, "gte")))).isEqualTo(new Same());
    assertThat(search(page(total(10_000, "gte")), page(total(12_000, "eq")))).isEqualTo(new Same());
    assertThat(onlyKind(search(page(total(10_000, "gte")), page(total(10_000, "eq")))))
        .isEqualTo(Kind.TOTAL);
    assertThat(search(page("7"), page("7"))).isEqualTo(new Same());
    assertThat(onlyKind(search(page("7"), page("8")))).isEqualTo(Kind.TOTAL);
  }

  // Order and ties.

  private static String total(long value, String relation) {
    return "{\"value\":" + value + ",\"relation\":\"" + relation + "\"}";
  }

  /** A page of hits such as {@code a:1.5}: an id, and a score or a sort value. */
  private static String page(String total, String... hits) {
    StringJoiner all = new StringJoiner(",");
    for (String hit : hits) {
      String key = hit.substring(hit.indexOf(':') + 1);
      all.add(
          "{\"_index\":\"i\",\"_id\":\""
              + hit.substring(0, hit.indexOf(':'))
              + (key.startsWith("[") ? "\",\"_score\":null,\"sort\":" : "\",\"_score\":")
              + key
              + "}");
    }
    return "{\"took\":1,\"timed_out\":false,\"hits\":{\"total\":"
        + total
        + ",\"hits\":["
        + all
        + "]}}";
  }

  @Test
  void tiedHitsMayComeInAnyOrder() {
    String all = total(4, "eq");
    assertThat(
            search(
                page(all, "a:2", "b:1", "c:1", "d:1"),
                page(all, "a:2.1", "d:1.1", "b:1.1", "c:1.1")))
        .isEqualTo(new Same());
    assertThat(
            search(
                page(all, "a:[1]", "b:[1]", "c:[2]", "d:[2]"),
                page(all, "b:[1]", "a:[1]", "d:[2]", "c:[2]")))
        .isEqualTo(new Same());
    assertThat(onlyKind(search(page(all, "a:[1]", "c:[2]"), page(all, "c:[1]", "a:[2]"))))
        .isEqualTo(Kind.HITS);
  }

  @Test
  void whichTiedHitsAreOnAPageThatEndsAmongThemSaysNothing() {
    String more = total(50, "eq");
    assertThat(search(page(more, "a:3", "b:1", "c:1"), page(more, "a:3", "x:1", "y:1")))
        .isEqualTo(new Same());
    assertThat(search(page(more, "a:1", "b:1"), page(more, "x:1", "b:1"))).isEqualTo(new Same());
    // but not on a complete page
    String all = total(3, "eq");
    assertThat(onlyKind(search(page(all, "a:3", "b:1", "c:1"), page(all, "a:3", "x:1", "y:1"))))
        .isEqualTo(Kind.HITS);
    // nor before the end of the page
    assertThat(onlyKind(search(page(more, "a:3", "b:1"), page(more, "x:3", "b:1"))))
        .isEqualTo(Kind.HITS);
    // nor with another sort key
    assertThat(onlyKind(search(page(more, "a:[1]", "b:[2]"), page(more, "a:[1]", "x:[3]"))))
        .isEqualTo(Kind.HITS);
  }

  @Test
  void acceptALaterPageThatStartsAmongTies() {
    String more = total(50, "eq");
    String one = page(more, "a:[1]", "b:[1]", "c:[2]", "d:[3]");
    String other = page(more, "x:[1]", "b:[1]", "c:[2]", "d:[3]");
    assertThat(findings(ReadKind.SEARCH, one, other, new Paging(true, false, false)).toVerdict())
        .isEqualTo(new Same());
    assertThat(onlyKind(search(one, other))).isEqualTo(Kind.HITS);
  }

  @Test
  void hitsWithoutACommonOrderAreCompared() {
    String all = total(3, "eq");
    String one = page(all, "a:[0]", "b:[1]", "c:[2]");
    String other = page(all, "c:[0]", "a:[1]", "b:[7]");
    assertThat(findings(ReadKind.SEARCH, one, other, new Paging(false, true, false)).toVerdict())
        .isEqualTo(new Same());
    String lacks = page(all, "c:[0]", "a:[1]", "z:[7]");
    assertThat(
            onlyKind(
                findings(ReadKind.SEARCH, one, lacks, new Paging(false, true, false)).toVerdict()))
        .isEqualTo(Kind.HITS);
  }

  @Test
  void rateASmallChangeAtALowRankAsSimilar() {
    String[] hits =
        IntStream.range(0, 20).mapToObj(i -> "d" + i + ":[" + i + "]").toArray(String[]::new);
    String[] swapped = hits.clone();
    swapped[17] = "d18:[17]";
    swapped[18] = "d17:[18]";
    String all = total(20, "eq");
    DifferenceCollector findings =
        findings(ReadKind.SEARCH, page(all, hits), page(all, swapped), PLAIN);
    assertThat(findings.toVerdict()).isEqualTo(new Similar());
    assertThat(findings.minOverlap()).isBetween(0.99, 0.99999);
  }

  @Test
  void findAMissingHitAtAnyRank() {
    String all = total(3, "eq");
    for (String shorter :
        List.of(page(all, "b:2", "c:1"), page(all, "a:3", "c:1"), page(all, "a:3", "b:2"))) {
      assertThat(onlyKind(search(page(all, "a:3", "b:2", "c:1"), shorter))).isEqualTo(Kind.HITS);
      assertThat(onlyKind(search(shorter, page(all, "a:3", "b:2", "c:1")))).isEqualTo(Kind.HITS);
    }
  }

  @Test
  void distinguishHitsByIndexAndId() {
    String all = total(2, "eq");
    assertThat(search(page(all, "a:2", "a:1"), page(all, "a:2", "a:1"))).isEqualTo(new Same());
    assertThat(onlyKind(search(page(all, "a:2", "a:1"), page(all, "a:2", "b:1"))))
        .isEqualTo(Kind.HITS);
  }

  /** Nothing differs for any order of ties and any end of the page. */
  @Test
  void randomPagesOfTheSameDocumentsAreTheSame() {
    Random random = new Random(20260902);
    for (int round = 0; round < 2000; round++) {
      int documents = 1 + random.nextInt(30);
      int keys = 1 + random.nextInt(6);
      List<String> byKey = new ArrayList<>();
      for (int i = 0; i < documents; i++) {
        byKey.add("d" + i + ":[" + random.nextInt(keys) + "]");
      }
      int size = random.nextInt(documents + 3);
      String one = sortedPage(byKey, size, random);
      String other = sortedPage(byKey, size, random);
      assertThat(search(one, other)).as("%s%n%s", one, other).isEqualTo(new Same());
    }
  }

  private static String sortedPage(List<String> byKey, int size, Random random) {
    List<String> shuffled = new ArrayList<>(byKey);
    Collections.shuffle(shuffled, random);
    shuffled.sort((a, b) -> a.substring(a.indexOf(':')).compareTo(b.substring(b.indexOf(':'))));
    List<String> shown = shuffled.subList(0, Math.min(size, shuffled.size()));
    return page(total(byKey.size(), "eq"), shown.toArray(String[]::new));
  }

  // Aggregations.

  private static String buckets(boolean cut, String... buckets) {
    StringJoiner all = new StringJoiner(",");
    for (String bucket : buckets) {
      int colon = bucket.indexOf(':');
      all.add(
          "{\"key\":\""
              + bucket.substring(0, colon)
              + "\",\"doc_count\":"
              + bucket.substring(colon + 1)
              + "}");
    }
    return "{\"aggregations\":{\"t\":{\"doc_count_error_upper_bound\":0,\"sum_other_doc_count\":"
        + (cut ? 99 : 0)
        + ",\"buckets\":["
        + all
        + "]}}}";
  }

  @Test
  void bucketsMayChangePlacesWhereTheirCountsAreNear() {
    assertThat(
            search(
                buckets(false, "a:1000", "b:999", "c:5"), buckets(false, "b:999", "a:998", "c:5")))
        .isEqualTo(new Similar());
    assertThat(onlyKind(search(buckets(false, "a:10", "b:5"), buckets(false, "b:5", "a:10"))))
        .isEqualTo(Kind.AGGREGATIONS);
  }

  @Test
  void acceptAnotherLastBucketWithTheSameCount() {
    assertThat(search(buckets(true, "a:10", "b:5"), buckets(true, "a:10", "c:5")))
        .isEqualTo(new Similar());
    assertThat(onlyKind(search(buckets(false, "a:10", "b:5"), buckets(false, "a:10", "c:5"))))
        .isEqualTo(Kind.AGGREGATIONS);
    assertThat(onlyKind(search(buckets(true, "a:10", "b:5"), buckets(true, "x:10", "b:5"))))
        .isEqualTo(Kind.AGGREGATIONS);
  }

  @Test
  void hitsOfAggregationsAreComparedAsHits() {
    String top = "{\"aggregations\":{\"t\":{\"hits\":%s}}}";
    String one = page(total(2, "eq"), "a:1", "b:1");
    String other = page(total(2, "eq"), "b:1", "a:1");
    String third = page(total(2, "eq"), "b:1", "c:1");
    String begin = "\"hits\":{";
    assertThat(
            search(
                top.formatted(one.substring(one.indexOf(begin) + 7, one.length() - 1)),
                top.formatted(other.substring(other.indexOf(begin) + 7, other.length() - 1))))
        .isEqualTo(new Same());
    assertThat(
            onlyKind(
                search(
                    top.formatted(one.substring(one.indexOf(begin) + 7, one.length() - 1)),
                    top.formatted(third.substring(third.indexOf(begin) + 7, third.length() - 1)))))
        .isEqualTo(Kind.HITS);
  }

  // Documents and other parts.

  @Test
  void documentsAreComparedByTheirSource() {
    String found =
        "{\"_index\":\"i\",\"_id\":\"1\",\"_version\":4,\"_seq_no\":9,\"_primary_term\":1,"
            + "\"found\":true,\"_source\":{\"a\":{\"b\":1},\"c\":[1,2]}}";
    String elsewhere =
        "{\"_index\":\"i-v2\",\"_id\":\"1\",\"_version\":1,\"_seq_no\":0,\"_primary_term\":3,"
            + "\"found\":true,\"_source\":{\"c\":[1.0,2],\"a\":{\"b\":1}}}";
    String other = elsewhere.replace("\"b\":1", "\"b\":2");
    String none = "{\"_index\":\"i\",\"_id\":\"1\",\"found\":false}";
    assertThat(findings(ReadKind.GET, found, elsewhere, PLAIN).toVerdict()).isEqualTo(new Same());
    assertThat(onlyKind(findings(ReadKind.GET, found, other, PLAIN).toVerdict()))
        .isEqualTo(Kind.SOURCE);
    assertThat(onlyKind(findings(ReadKind.GET, found, none, PLAIN).toVerdict()))
        .isEqualTo(Kind.FOUND);
    String docs = "{\"docs\":[%s,%s]}";
    assertThat(
            findings(
                    ReadKind.MGET,
                    docs.formatted(none, found),
                    docs.formatted(none, elsewhere),
                    PLAIN)
                .toVerdict())
        .isEqualTo(new Same());
    assertThat(
            findings(ReadKind.MGET, docs.formatted(none, found), docs.formatted(none, other), PLAIN)
                .toVerdict())
        .isEqualTo(
            new Different(
                List.of(
                    new ComparisonVerdict.Difference(
                        Kind.SOURCE, "docs[1]._source.a.b", "1", "2"))));
    assertThat(
            onlyKind(
                findings(ReadKind.SOURCE, "{\"a\":1}", "{\"a\":1,\"b\":2}", PLAIN).toVerdict()))
        .isEqualTo(Kind.SOURCE);
  }

  @Test
  void countsAreCompared() {
    String count = "{\"count\":%d,\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0}}";
    assertThat(findings(ReadKind.COUNT, count.formatted(5), count.formatted(5), PLAIN).toVerdict())
        .isEqualTo(new Same());
    assertThat(
            onlyKind(
                findings(ReadKind.COUNT, count.formatted(5), count.formatted(6), PLAIN)
                    .toVerdict()))
        .isEqualTo(Kind.COUNT);
  }

  @Test
  void severalSearchesAreComparedOneByOne() {
    String good = page(total(1, "eq"), "a:1");
    String bad = page(total(1, "eq"), "z:1");
    String error = "{\"error\":{\"type\":\"index_not_found_exception\"},\"status\":404}";
    String refused = "{\"error\":{\"type\":\"rejected\"},\"status\":429}";
    assertThat(msearch(List.of(good, error), List.of(good, error))).isEqualTo(new Same());
    assertThat(onlyKind(msearch(List.of(good, good), List.of(good, bad)))).isEqualTo(Kind.HITS);
    assertThat(msearch(List.of(good, good), List.of(good, refused)))
        .isEqualTo(new NotComparable(Reason.REJECTED));
    assertThat(onlyKind(msearch(List.of(good, good), List.of(bad, refused)))).isEqualTo(Kind.HITS);
    assertThat(onlyKind(msearch(List.of(good), List.of(good, good)))).isEqualTo(Kind.ITEMS);
    assertThat(onlyKind(msearch(List.of(error), List.of(error.replace("404", "400")))))
        .isEqualTo(Kind.STATUS);
  }

  private static ComparisonVerdict msearch(List<String> primary, List<String> shadow) {
    return findings(
            ReadKind.MSEARCH,
            "{\"took\":1,\"responses\":" + primary + "}",
            "{\"took\":1,\"responses\":" + shadow + "}",
            PLAIN)
        .toVerdict();
  }

  @Test
  void statusesAndErrorsAreCompared() {
    String missing =
        "{\"error\":{\"type\":\"index_not_found_exception\",\"index\":\"x\"},\"status\":404}";
    assertThat(compare(seen(404, missing), seen(404, missing.replace("\"x\"", "\"y\""))))
        .isEqualTo(new Same());
    assertThat(
            onlyKind(
                compare(seen(404, missing), seen(404, missing.replace("not_found", "closed")))))
        .isEqualTo(Kind.ERROR);
    assertThat(onlyKind(compare(seen(200, SEARCH), seen(404, missing)))).isEqualTo(Kind.STATUS);
    assertThat(compare(seen(200, SEARCH), seen(429, "{}")))
        .isEqualTo(new NotComparable(Reason.REJECTED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"suggest\":{\"s\":[]}} | false",
        "{\"took\":1,\"hits\":{\"total\":3},\"profile\":{}} | false",
        "{\"took\":1,\"hits\":{\"total\":3}} | true",
        "{\"aggregations\":{\"p\":{\"values\":{\"1.0\":1}}}} | true",
        "{\"hits\":{\"hits\":[]},\"profile\":{}} | true"
      })
  void whatIsNotLookedAtIsNotTheSame(String answer, boolean same) {
    assertThat(search(answer, answer))
        .isEqualTo(same ? new Same() : new NotComparable(Reason.UNSUPPORTED_FORMAT));
  }

  @Test
  void skipUnreadableResponses() {
    assertThat(compare(seen(200, SEARCH), seen(200, SEARCH.substring(0, 100))))
        .isEqualTo(new NotComparable(Reason.MALFORMED_RESPONSE));
    assertThat(compare(seen(200, SEARCH), seen(200, "")))
        .isEqualTo(new NotComparable(Reason.MALFORMED_RESPONSE));
    assertThat(compare(seen(200, SEARCH), seen(200, SEARCH + "{}")))
        .isEqualTo(new NotComparable(Reason.MALFORMED_RESPONSE));
    assertThat(compare(seen(200, SEARCH), new CapturedResponse(200, JSON, null, 1)))
        .isEqualTo(new NotComparable(Reason.LONG_RESPONSE));
    CapturedResponse yaml = new CapturedResponse(200, "application/yaml", new byte[] {1}, 1);
    assertThat(compare(yaml, yaml)).isEqualTo(new Same());
    assertThat(compare(yaml, new CapturedResponse(200, "application/yaml", new byte[] {2}, 1)))
        .isEqualTo(new NotComparable(Reason.UNSUPPORTED_FORMAT));
    assertThat(compare(seen(200, "[".repeat(100_000)), seen(200, SEARCH)))
        .isEqualTo(new NotComparable(Reason.MALFORMED_RESPONSE));
  }

  private static ComparisonVerdict compare(CapturedResponse primary, CapturedResponse shadow) {
    return new ResponseComparator(
            ReadKind.SEARCH, new ResponseComparator.Tolerances(0.01, 0.99), PLAIN)
        .compare(primary, shadow)
        .toVerdict();
  }
}
