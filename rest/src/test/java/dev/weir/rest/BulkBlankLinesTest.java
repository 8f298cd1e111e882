package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.rest.bulk.BulkRequestReader;
import dev.weir.rest.bulk.FastBulkParser;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.rest.RestRequest;

/** Bulks with many blank lines, which OpenSearch's parser reads slowly. */
class BulkBlankLinesTest {
  private static final String DELETE = "{\"delete\":{\"_id\":\"1\"}}\n";

  private final LongAdder reserved = new LongAdder();

  private BulkRequest read(String body) throws IOException {
    TestExchange exchange = TestExchange.of("POST", "/logs/_bulk?index=logs").json(body);
    RestRequest request =
        RestRequest.request(
            RestDispatcherFixture.REGISTRIES.xContents(), new ExchangeHttpRequest(exchange), null);
    return new BulkRequestReader(request, true).read(new BytesArray(body), reserved::add);
  }

  /** A JSON parser for each of these lines would take some ten seconds. */
  @Test
  void readManyBlankLines() throws IOException {
    String run = "\n".repeat(4095);
    assertThat(read((run + DELETE).repeat(2_000)).numberOfActions()).isEqualTo(2_000);
    assertThat(reserved.sum()).isEqualTo(2_000 * FastBulkParser.ITEM_BYTES);
    assertThat(read("\n".repeat(40_000_000)).numberOfActions()).isZero();
  }

  @Test
  void nameTheLineOfAnError() {
    String run = "\n".repeat(100);
    assertThatThrownBy(() -> read(DELETE + run + DELETE + run + "{\"nothing\":{}}\n{}\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line [203]");
  }
}
