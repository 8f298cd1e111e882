package dev.weir.testkit.secured.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SecuredRequestGeneratorTest {
  private static final int REQUESTS = 3_000;

  @Test
  void coverEveryIdentityAndEndpoint() {
    SecuredRequestGenerator generator = new SecuredRequestGenerator(new Random(1));
    Set<ComparedIdentity> identities = EnumSet.noneOf(ComparedIdentity.class);
    Set<String> endpoints = new TreeSet<>();
    for (int i = 0; i < REQUESTS; i++) {
      for (ComparedRequest request : generator.next()) {
        identities.add(request.identity());
        String endpoint = request.endpoint();
        endpoints.add(request.path().contains("/_source/") ? "_source" : endpoint);
      }
    }
    assertThat(identities).containsExactlyInAnyOrder(ComparedIdentity.values());
    assertThat(endpoints).contains("_search", "_count", "_msearch", "_mget", "_doc", "_bulk");
  }

  @Test
  void repeatTheRequestsOfASeed() {
    SecuredRequestGenerator one = new SecuredRequestGenerator(new Random(2));
    SecuredRequestGenerator other = new SecuredRequestGenerator(new Random(2));
    for (int i = 0; i < 100; i++) {
      assertThat(one.next()).isEqualTo(other.next());
    }
  }

  @Test
  void normalizeWhatChangesFromMomentToMoment() {
    String one = "{\"took\":3,\"_scroll_id\":\"abc\",\"hits\":{\"total\":7}}";
    assertThat(ResponseNormalizer.normalize(one))
        .isEqualTo("{\"took\":0,\"_scroll_id\":\"\",\"hits\":{\"total\":7}}");
    assertThat(ResponseNormalizer.normalize("{\"_id\":\"mTgvX5oBq0T3m4cW1yZa\"}"))
        .isEqualTo("{\"_id\":\"\"}");
    assertThat(ResponseNormalizer.normalize("{\"_id\":\"n12\"}")).isEqualTo("{\"_id\":\"n12\"}");
  }

  @Test
  void leaveOutTheCauseOfAFailedSearch() {
    String failed =
        "{\"error\":{\"failed_shards\":[{\"reason\":{\"type\":\"t\"}}]%s},\"status\":500}";
    String cause = ",\"caused_by\":{\"type\":\"t\",\"caused_by\":{\"type\":\"u\"}}";
    assertThat(ResponseNormalizer.normalize(failed.formatted(cause)))
        .isEqualTo(failed.formatted(""));
    String parts = "{\"responses\":[%s,%s]}";
    assertThat(
            ResponseNormalizer.normalize(
                parts.formatted(failed.formatted(cause), failed.formatted(cause))))
        .isEqualTo(parts.formatted(failed.formatted(""), failed.formatted("")));
    String shard =
        "{\"failed_shards\":[{\"reason\":{\"caused_by\":{\"type\":\"t\"}}}],\"status\":500}";
    assertThat(ResponseNormalizer.normalize(shard)).isEqualTo(shard);
  }
}
