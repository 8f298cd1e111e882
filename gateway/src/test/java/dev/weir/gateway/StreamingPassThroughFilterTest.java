package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamingPassThroughFilterTest {
  private static final PassThrough GATHERED = new PassThrough("not-coordinated");

  private final StreamingPassThroughFilter filter = new StreamingPassThroughFilter();

  @ParameterizedTest
  @CsvSource({
    "POST, /_bulk/stream",
    "PUT, /_bulk/stream",
    "POST, /logs/_bulk/stream?batch_size=10",
    "POST, /_bulk/stream/"
  })
  void streamTheBodiesOfBulkStreams(String method, String uri) {
    assertThat(filter.filter(method, uri, GATHERED)).isEqualTo(GATHERED.streamingBody());
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /_reindex",
    "GET, /_bulk/stream",
    "POST, /_bulk/streams",
    "POST, /_bulk?a=/_bulk/stream",
    "POST, /my_bulk/stream",
    "POST, /",
    "POST, stream"
  })
  void gatherOtherBodies(String method, String uri) {
    assertThat(filter.filter(method, uri, GATHERED)).isEqualTo(GATHERED);
  }

  @Test
  void keepWhatTheGatewayCoordinates() {
    Decision bulk = new Coordinate("bulk");
    assertThat(filter.filter("POST", "/_bulk/stream", bulk)).isSameAs(bulk);
    assertThat(filter.filterLargeBody("POST", "/_bulk/stream", GATHERED)).isSameAs(GATHERED);
    assertThat(filter.filterAfterBody("POST", "/_bulk/stream", GATHERED)).isSameAs(GATHERED);
  }
}
