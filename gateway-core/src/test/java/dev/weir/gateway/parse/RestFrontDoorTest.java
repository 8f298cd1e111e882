package dev.weir.gateway.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;

class RestFrontDoorTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final RecordingExecutor executor = new RecordingExecutor();
  private RestThreadContext threadContext;
  private RestFrontDoor door;

  @BeforeEach
  void open() {
    threadContext = new RestThreadContext(REGISTRIES.settings());
    door = new RestFrontDoor(REGISTRIES, threadContext, executor);
  }

  @AfterEach
  void close() {
    threadContext.close();
  }

  @Test
  void handsSearchWithItsBodyAndParametersOver() {
    door.handle(
        new FakeExchange("POST", "/logs-*/_search?size=3&routing=a")
            .json("{\"query\":{\"match_all\":{}}}"));

    assertThat(executor.only().action()).isEqualTo("indices:data/read/search");
    SearchRequest request = (SearchRequest) executor.only().request();
    assertThat(request.indices()).containsExactly("logs-*");
    assertThat(request.routing()).isEqualTo("a");
    assertThat(request.source().size()).isEqualTo(3);
  }

  @Test
  void answersUnknownParameterAsANodeDoes() {
    FakeExchange exchange = new FakeExchange("GET", "/a/_search?sizze=3");

    door.handle(exchange);

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).contains("contains unrecognized parameter: [sizze]");
  }
}
