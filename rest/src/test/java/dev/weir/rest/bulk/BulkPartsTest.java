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

class BulkPartsTest {
  private static final String ITEM = "{\"index\":{\"_id\":\"%d\"}}\n{\"n\":%d}\n";
  private static final String DELETE = "{\"delete\":{\"_id\":\"%d\"}}\n";
  private static final String RUN = "\n".repeat(3 * BulkParts.MIN_RUN);

  private static BytesArray body(String text) {
    byte[] bytes = ("!!!" + text + "!!!").getBytes(StandardCharsets.UTF_8);
    return new BytesArray(bytes, 3, bytes.length - 6);
  }

  private static List<String> parts(String text) throws IOException {
    List<String> parts = new ArrayList<>();
    BulkParts.forEach(
        body(text), (part, linesBefore) -> parts.add(linesBefore + ":" + part.utf8ToString()));
    return parts;
  }

  @Test
  void passOnAnOrdinaryBodyWhole() throws IOException {
    String ordinary = ITEM.formatted(1, 1) + "\n\n" + ITEM.formatted(2, 2);
    assertThat(parts(ordinary)).containsExactly("0:" + ordinary);
    assertThat(parts("")).containsExactly("0:");
  }

  @Test
  void passOnALineOfBlanksWhole() throws IOException {
    String wide = ITEM.formatted(1, 1) + " ".repeat(20_000) + ITEM.formatted(2, 2);
    assertThat(parts(wide)).containsExactly("0:" + wide);
  }

  @Test
  void leaveBlankLinesOut() throws IOException {
    assertThat(parts("\n".repeat(1_000_000))).containsExactly("0:\n\n");
    assertThat(parts("\r\n".repeat(1_000_000))).containsExactly("0:\r\n\r\n");
    assertThat(parts(" \n".repeat(9_000) + "  ")).containsExactly("0: \n \n", "9000:  ");
  }

  @Test
  void cutAtEachRun() throws IOException {
    assertThat(parts(ITEM.formatted(1, 1) + RUN + ITEM.formatted(2, 2) + RUN))
        .containsExactly(
            "0:" + ITEM.formatted(1, 1) + "\n",
            (2 + RUN.length()) + ":" + ITEM.formatted(2, 2) + "\n");
  }

  /** OpenSearch's parser finds the same items, and the same errors. */
  @Test
  void keepTheItems() throws IOException {
    Random random = TestSeed.random(BulkPartsTest.class);
    for (int round = 0; round < 500; round++) {
      StringBuilder text = new StringBuilder();
      for (int part = random.nextInt(8); part >= 0; part--) {
        switch (random.nextInt(6)) {
          case 0 -> text.append(ITEM.formatted(part, part));
          case 1 -> text.append(DELETE.formatted(part));
          case 2 -> text.append("{\"create\":{}}\n"); // the next line is its source
          case 3 -> text.append("\n".repeat(random.nextInt(3 * BulkParts.MIN_RUN)));
          case 4 -> text.append(random.nextInt(9) == 0 ? "{\"nothing\":{}}\n" : "");
          default -> text.append(" \r\n\t".repeat(random.nextInt(2 * BulkParts.MIN_RUN)));
        }
      }
      String body = text.toString();
      assertThat(items(body, true)).as(body).isEqualTo(items(body, false));
    }
  }

  private static List<String> items(String body, boolean inParts) throws IOException {
    List<String> items = new ArrayList<>();
    BulkRequest bulk = new BulkRequest();
    try {
      if (inParts) {
        BulkParts.forEach(
            body(body),
            (part, linesBefore) -> {
              try {
                bulk.add(part, "logs", null, null, null, null, true, XContentType.JSON);
              } catch (IllegalArgumentException wrong) {
                throw BulkLineNumbers.ofWhole(wrong, linesBefore);
              }
            });
      } else {
        bulk.add(body(body), "logs", null, null, null, null, true, XContentType.JSON);
      }
    } catch (IllegalArgumentException malformed) {
      return List.of(String.valueOf(malformed.getMessage()));
    }
    for (DocWriteRequest<?> request : bulk.requests()) {
      String source =
          request instanceof IndexRequest document ? document.source().utf8ToString() : "";
      items.add(request.opType() + " " + request.id() + " " + source);
    }
    return items;
  }
}
