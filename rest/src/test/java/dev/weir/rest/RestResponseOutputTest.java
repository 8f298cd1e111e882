package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ResponseBody;
import dev.weir.model.SpliceableOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.junit.jupiter.api.Test;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.common.bytes.BytesReference;

class RestResponseOutputTest {
  private final BigArrays pages =
      new BigArrays(new PageCacheRecycler(Settings.EMPTY), null, "request");

  @Test
  void usesPagesAgain() throws IOException {
    RestResponseOutput first = written(200_000);
    Set<byte[]> used = pages(first.bytes());
    assertThat(used).hasSizeGreaterThan(10).allMatch(page -> page.length == 16 * 1024);
    first.close();

    RestResponseOutput second = written(200_000);

    assertThat(pages(second.bytes())).anyMatch(used::contains);
    second.close();
  }

  @Test
  void putsPartsWhereTheyWereSpliced() throws IOException {
    try (RestResponseOutput out = new RestResponseOutput(pages)) {
      out.write(ascii("{\"a\":"));
      splice(out, "[1,2]");
      splice(out, "");
      out.write(ascii(",\"b\":"));
      splice(out, "3");
      out.write(ascii("}"));

      BytesReference content = out.bytes();

      assertThat(RestResponseOutput.body(content).toByteArray())
          .asString()
          .isEqualTo("{\"a\":[1,2],\"b\":3}");
      assertThat(content.utf8ToString()).isEqualTo("{\"a\":[1,2],\"b\":3}");
      assertThat(content.length()).isEqualTo(17);
      assertThat(content.slice(5, 3).utf8ToString()).isEqualTo("[1,");
    }
  }

  @Test
  void dropPartsOnReset() throws IOException {
    try (RestResponseOutput out = new RestResponseOutput(pages)) {
      out.write(ascii("x"));
      splice(out, "part");
      out.reset();
      out.write(ascii("error"));

      assertThat(RestResponseOutput.body(out.bytes()).toByteArray()).asString().isEqualTo("error");
    }
  }

  @Test
  void writeNothingIntoReleasedPages() throws IOException {
    RestResponseOutput out = written(10);
    out.close();
    out.close();
    assertThatThrownBy(() -> out.write(ascii("late"))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> out.writeByte((byte) 1)).isInstanceOf(IllegalStateException.class);
  }

  private RestResponseOutput written(int length) throws IOException {
    RestResponseOutput out = new RestResponseOutput(pages);
    out.write(new byte[length]);
    return out;
  }

  private static void splice(RestResponseOutput out, String text) {
    assertThat(out.bytes()).isInstanceOf(SpliceableOutput.class);
    ((SpliceableOutput) out.bytes()).splice(ResponseBody.of(List.of(ByteBuffer.wrap(ascii(text)))));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static Set<byte[]> pages(BytesReference bytes) throws IOException {
    Set<byte[]> pages = Collections.newSetFromMap(new IdentityHashMap<>());
    BytesRefIterator iterator = bytes.iterator();
    for (BytesRef ref = iterator.next(); ref != null; ref = iterator.next()) {
      pages.add(ref.bytes);
    }
    return pages;
  }
}
