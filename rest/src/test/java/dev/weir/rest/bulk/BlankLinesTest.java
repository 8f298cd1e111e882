package dev.weir.rest.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

class BlankLinesTest {
  private static final String ITEM = "{\"index\":{\"_id\":\"%d\"}}\n{\"n\":%d}\n";
  private static final String DELETE = "{\"delete\":{\"_id\":\"%d\"}}\n";

  private static BytesArray body(String text) {
    byte[] bytes = ("!!!" + text + "!!!").getBytes(StandardCharsets.UTF_8);
    return new BytesArray(bytes, 3, bytes.length - 6);
  }

  private static String shorten(String text) {
    return BlankLines.shorten(body(text)).utf8ToString();
  }

  @Test
  void keepShortRuns() {
    BytesArray ordinary = body(ITEM.formatted(1, 1) + "\n".repeat(1000) + ITEM.formatted(2, 2));
    assertThat(BlankLines.shorten(ordinary)).isSameAs(ordinary);
  }

  @Test
  void keepALineOfBlanks() {
    BytesArray wide = body(ITEM.formatted(1, 1) + " ".repeat(20_000) + ITEM.formatted(2, 2));
    assertThat(BlankLines.shorten(wide)).isSameAs(wide);
  }

  @Test
  void shortenABodyOfBlankLines() {
    assertThat(shorten("\n".repeat(1_000_000))).isEqualTo("\n\n\n");
    assertThat(shorten("\r\n".repeat(1_000_000))).isEqualTo("\r\n\r\n\r\n");
    assertThat(shorten(" \n".repeat(9_000) + "  ")).isEqualTo(" \n \n \n  ");
  }

  @Test
  void shortenEachLongRun() {
    String blank = "\n".repeat(3 * BlankLines.MIN_RUN);
    assertThat(shorten(ITEM.formatted(1, 1) + blank + ITEM.formatted(2, 2) + blank))
        .isEqualTo(ITEM.formatted(1, 1) + "\n\n" + ITEM.formatted(2, 2) + "\n\n");
  }

  /** OpenSearch's parser finds the same items. */
  @Test
  void keepTheItems() throws IOException {
    Random random = TestSeed.random(BlankLinesTest.class);
    for (int round = 0; round < 300; round++) {
      StringBuilder text = new StringBuilder();
      for (int part = random.nextInt(8); part >= 0; part--) {
        switch (random.nextInt(5)) {
          case 0 -> text.append(ITEM.formatted(part, part));
          case 1 -> text.append(DELETE.formatted(part));
          case 2 -> text.append("{\"create\":{}}\n"); // the next line is its source
          case 3 -> text.append("\n".repeat(random.nextInt(3 * BlankLines.MIN_RUN)));
          default -> text.append(" \r\n\t".repeat(random.nextInt(2 * BlankLines.MIN_RUN)));
        }
      }
      BytesArray whole = body(text.toString());
      assertThat(items(BlankLines.shorten(whole))).as(text.toString()).isEqualTo(items(whole));
    }
  }

  private static List<String> items(BytesReference body) throws IOException {
    BulkRequest bulk = new BulkRequest();
    List<String> items = new ArrayList<>();
    try {
      bulk.add(body, "logs", null, null, null, null, true, XContentType.JSON);
    } catch (IllegalArgumentException malformed) {
      items.add("malformed");
    }
    for (DocWriteRequest<?> request : bulk.requests()) {
      String source =
          request instanceof IndexRequest document ? document.source().utf8ToString() : "";
      items.add(request.opType() + " " + request.id() + " " + source);
    }
    return items;
  }
}
