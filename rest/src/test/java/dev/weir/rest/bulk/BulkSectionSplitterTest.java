package dev.weir.rest.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

class BulkSectionSplitterTest {
  /** Action lines that OpenSearch's parser accepts, most of them in unusual notation. */
  private static final List<String> ACTIONS =
      List.of(
          "{\"index\":{}}",
          "{\"index\":{\"_index\":\"a\",\"_id\":\"1\"}}",
          " { \"create\" : { \"_id\" : \"\\n\" } } ",
          "\t{\"index\":{\"_id\":\"\u00e4\u6f22\"}}",
          "{\"delete\":{\"_id\":\"2\"}}",
          "{ \"delete\" : {\"_id\":\"index\"}}",
          "{\"\\u0064elete\":{\"_id\":\"3\"}}",
          "{\"ind\\u0065x\":{\"_id\":\"4\"}}",
          "/* said */ {\"delete\":{\"_id\":\"5\"}}",
          "{\"update\":{\"_id\":\"6\"}}");

  /** Lines before an action line that the parser ignores. */
  private static final List<String> NOTHING = List.of("", " ", "\t", "/* nothing */");

  private static BulkRequest parse(byte[] bytes, int from, int to) throws IOException {
    return new BulkRequest()
        .add(new BytesArray(bytes, from, to - from), "named", XContentType.JSON);
  }

  private static List<String> shown(BulkRequest bulk) {
    List<String> items = new ArrayList<>();
    for (DocWriteRequest<?> item : bulk.requests()) {
      BytesReference source =
          switch (item) {
            case IndexRequest document -> document.source();
            case UpdateRequest update -> update.doc().source();
            default -> BytesArray.EMPTY;
          };
      items.add(item.opType() + " " + item.index() + " " + item.id() + source.utf8ToString());
    }
    return items;
  }

  private static String body(Random random, int items) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < items; i++) {
      String end = random.nextBoolean() ? "\n" : "\r\n";
      while (random.nextInt(5) == 0) {
        lines.append(NOTHING.get(random.nextInt(NOTHING.size()))).append(end);
      }
      String action = ACTIONS.get(random.nextInt(ACTIONS.size()));
      lines.append(action).append(end);
      if (!action.contains("elete\"")) {
        String text = "{\"delete\\n\\\"".substring(0, 8 + random.nextInt(4)).replace("\"", "'");
        lines.append("{\"doc\":{\"n\":").append(i).append(",\"t\":\"");
        lines.append(text.replace("\\", "")).append("x".repeat(random.nextInt(20)));
        lines.append("\"}}").append(end);
      }
    }
    return lines.toString();
  }

  /** Splits a body that arrives in chunks, as an exchange does. */
  private static List<String> cutAndParsed(
      byte[] body, int mostItems, int arrayBytes, int pieceBytes) throws IOException {
    BulkSectionSplitter cutter = new BulkSectionSplitter(mostItems);
    List<String> items = new ArrayList<>();
    byte[] array = new byte[arrayBytes];
    int length = 0;
    for (int at = 0; at < body.length; ) {
      int size = Math.min(pieceBytes, Math.min(body.length - at, array.length - length));
      System.arraycopy(body, at, array, length, size);
      at += size;
      length += size;
      cutter.scan(array, length);
      while (cutter.isSectionFull() || (length == array.length && cutter.sectionEnd() > 0)) {
        int cut = cutter.sectionEnd();
        BulkRequest section = parse(array, 0, cut);
        assertThat(section.numberOfActions()).isEqualTo(cutter.items());
        assertThat(section.numberOfActions()).isLessThanOrEqualTo(mostItems);
        assertThat(new String(array, 0, cut, UTF_8).lines().count()).isEqualTo(cutter.lines());
        items.addAll(shown(section));
        length -= cut;
        System.arraycopy(array, cut, array, 0, length);
        Arrays.fill(array, length, array.length, (byte) 'X');
        cutter.restartAt(0);
        cutter.scan(array, length);
      }
      if (length == array.length) {
        array = Arrays.copyOf(array, 2 * array.length);
      }
    }
    items.addAll(shown(parse(array, 0, length)));
    return items;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void cutsWhereItemsEndHoweverTheBodyComes(long seed) throws IOException {
    Random random = new Random(seed);
    byte[] body = body(random, 12).getBytes(UTF_8);
    List<String> whole = shown(parse(body, 0, body.length));
    for (int arrayBytes = 40; arrayBytes < body.length; arrayBytes += 1 + random.nextInt(9)) {
      int pieceBytes = 1 + random.nextInt(64);
      int mostItems = 1 + random.nextInt(5);
      assertThat(cutAndParsed(body, mostItems, arrayBytes, pieceBytes))
          .as("arrays of %d, pieces of %d, sections of %d", arrayBytes, pieceBytes, mostItems)
          .isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void cutsSectionsThatLieOneAfterTheOther(int mostItems) throws IOException {
    byte[] body = body(new Random(mostItems), 40).getBytes(UTF_8);
    BulkSectionSplitter cutter = new BulkSectionSplitter(mostItems);
    List<String> items = new ArrayList<>();
    int from = 0;
    for (cutter.scan(body, body.length); cutter.isSectionFull(); cutter.scan(body, body.length)) {
      BulkRequest section = parse(body, from, cutter.sectionEnd());
      assertThat(section.numberOfActions()).isEqualTo(mostItems).isEqualTo(cutter.items());
      assertThat(new String(body, from, cutter.sectionEnd() - from, UTF_8).lines().count())
          .isEqualTo(cutter.lines());
      items.addAll(shown(section));
      from = cutter.sectionEnd();
      cutter.restartAt(from);
      assertThat(cutter.sectionEnd()).isEqualTo(from);
    }
    assertThat(from).isEqualTo(body.length);
    assertThat(items).isEqualTo(shown(parse(body, 0, body.length)));
  }

  @Test
  void findsTheSameCutWhereverAPieceEnds() {
    byte[] body = body(new Random(11), 30).getBytes(UTF_8);
    BulkSectionSplitter atOnce = new BulkSectionSplitter();
    atOnce.scan(body, body.length);
    for (int split = 0; split <= body.length; split++) {
      BulkSectionSplitter cutter = new BulkSectionSplitter();
      cutter.scan(body, split);
      int before = cutter.sectionEnd();
      assertThat(before).isLessThanOrEqualTo(split);
      cutter.scan(body, body.length);
      assertThat(cutter.sectionEnd()).isEqualTo(atOnce.sectionEnd());
      assertThat(cutter.items()).isEqualTo(atOnce.items());
      assertThat(cutter.lines()).isEqualTo(atOnce.lines());
    }
  }

  @Test
  void leaveAnIncompleteLine() {
    byte[] body = "{\"delete\":{\"_id\":\"1\"}}\n{\"index\":{}}\n{\"a\":1}".getBytes(UTF_8);
    BulkSectionSplitter cutter = new BulkSectionSplitter();
    cutter.scan(body, body.length);
    assertThat(cutter.sectionEnd()).isEqualTo(23);
    assertThat(cutter.items()).isOne();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1}",
        "nothing",
        "[]",
        "{}",
        "{\"INDEX\":{}}",
        "{\"index",
        "{\"delete",
        "{\"ind\\u00zzex\":{}}",
        "\"index\""
      })
  void cutsAfterWhatIsNoActionLineForTheParserToRefuse(String line) {
    assertCutAfter(line);
  }

  /** The parser takes such bytes for UCS-4, and fails in another way than for other errors. */
  @Test
  void cutAfterALineInAnUnusualEncoding() {
    assertCutAfter("\0{\0\0");
    assertCutAfter("\0\0{\0");
  }

  private static void assertCutAfter(String line) {
    byte[] body =
        ("{\"delete\":{\"_id\":\"1\"}}\n" + line + "\n{\"index\":{}}\n{}\n").getBytes(UTF_8);
    BulkSectionSplitter cutter = new BulkSectionSplitter();
    cutter.scan(body, body.length);

    assertThat(cutter.isSectionFull()).isTrue();
    assertThat(cutter.sectionEnd()).isEqualTo(23 + line.length() + 1);
    assertThatThrownBy(() -> parse(body, 0, cutter.sectionEnd())).isInstanceOf(Exception.class);
  }
}
