package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ByteSize;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;
import dev.weir.rest.bulk.BulkStreamingOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BulkStreamingFilterTest {
  private static final Coordinate BULK = new Coordinate("bulk");
  private static final PassThrough LARGE = new PassThrough(PassThrough.LARGE_BODY);

  private final BulkStreamingFilter filter = filterWithThreshold(4 << 20);

  private static BulkStreamingFilter filterWithThreshold(long bytes) {
    return new BulkStreamingFilter(
        new BulkPolicy.Streaming(
            new ByteSize(bytes), new ByteSize(1 << 20), new ByteSize(8 << 20)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/_bulk", "/logs/_bulk", "/_bulk?refresh=true", "/logs/_bulk?routing=a%26b"})
  void streamBulksWithTheSizesOfThePolicy(String uri) {
    assertThat(filter.filter("POST", uri, BULK))
        .isEqualTo(new Coordinate("bulk", new BulkStreamingOptions(4 << 20, 1 << 20, 8 << 20)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_bulk?pipeline=geo",
        "/logs/_bulk?refresh=wait_for",
        "/_bulk?timeout=1s&refresh=wait%5Ffor",
        "/_bulk?refresh=%zz"
      })
  void bufferBulksThatDependOnTheirWholeBody(String uri) {
    assertThat(filter.filter("POST", uri, BULK)).isSameAs(BULK);
  }

  @Test
  void bufferBulksWhileTheThresholdIsZero() {
    assertThat(filterWithThreshold(0).filter("POST", "/_bulk", BULK)).isSameAs(BULK);
  }

  @Test
  void keepOtherDecisions() {
    for (Decision decision :
        new Decision[] {new Coordinate("search"), new RespondLocally("nodes_info"), LARGE}) {
      assertThat(filter.filter("POST", "/_bulk", decision)).isSameAs(decision);
    }
  }

  @Test
  void keepTheDecisionsOfRequestsThatPassThrough() {
    assertThat(filter.filterLargeBody("POST", "/_bulk", LARGE)).isSameAs(LARGE);
    assertThat(filter.filterAfterBody("POST", "/_bulk", LARGE)).isSameAs(LARGE);
  }
}
