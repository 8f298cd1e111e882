package dev.weir.testkit.secured.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResponseNormalizerTest {
  private static String buckets(String... buckets) {
    return "{\"buckets\":[" + String.join(",", buckets) + "]}";
  }

  private static String bucket(String key, double score) {
    return "{\"key\":\"" + key + "\",\"doc_count\":3,\"score\":" + score + ",\"bg_count\":9}";
  }

  @Test
  void ignoreTheOrderOfSignificantTermsWithEqualScores() {
    String one = buckets(bucket("a", 2), bucket("c", 1), bucket("b", 1));
    String other = buckets(bucket("a", 2), bucket("b", 1), bucket("c", 1));
    assertThat(ResponseNormalizer.normalize(one)).isEqualTo(ResponseNormalizer.normalize(other));
  }

  @Test
  void seeAnotherOrderOfScores() {
    String one = buckets(bucket("a", 2), bucket("b", 1));
    String other = buckets(bucket("b", 1), bucket("a", 2));
    assertThat(ResponseNormalizer.normalize(one)).isNotEqualTo(ResponseNormalizer.normalize(other));
  }

  @Test
  void ignoreTheNumberOfADocumentInAnExplanation() {
    String text =
        "{\"description\":\"weight(region:north in %s) [PerFieldSimilarity], result of:\"}";
    assertThat(ResponseNormalizer.normalize(text.formatted("17")))
        .isEqualTo(ResponseNormalizer.normalize(text.formatted("4")));
  }
}
