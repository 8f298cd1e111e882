package dev.weir.http.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.CountingHeaders;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import org.junit.jupiter.api.Test;

class HopByHopHeadersTest {
  private static int removals(HttpHeaders more) {
    CountingHeaders headers = new CountingHeaders();
    headers.add(more);
    HopByHopHeaders.strip(headers);
    assertThat(headers.contains("Connection")).isFalse();
    assertThat(headers.contains("X-Hop")).isFalse();
    assertThat(headers.getAll("a")).hasSameSizeAs(more.getAll("a"));
    return headers.removals();
  }

  /** Each removal looks at all headers of a bucket: the work would grow with their square. */
  @Test
  void removesNoMoreOftenForMoreNames() {
    int usual = removals(new DefaultHttpHeaders().add("Connection", "keep-alive"));
    HttpHeaders many = new DefaultHttpHeaders().add("X-Hop", "1");
    for (int i = 0; i < 4000; i++) {
      many.add("a", i);
    }
    many.add("Connection", "q,".repeat(4000) + "X-HOP").add("Connection", "r,".repeat(4000));
    assertThat(removals(many)).isEqualTo(usual);
  }

  @Test
  void keepsWhatFramesOrAddressesTheMessage() {
    HttpHeaders headers =
        new DefaultHttpHeaders()
            .add("Host", "x")
            .add("Content-Length", "2")
            .add("Content-Type", "text/plain")
            .add("Content-Encoding", "gzip")
            .add("X-Own", "1")
            .add("X-Other", "1")
            .add("Connection", "Host, content-length ,Content-Type,content-encoding, x-own,,");
    HopByHopHeaders.strip(headers);
    assertThat(headers.names())
        .containsExactly("Host", "Content-Length", "Content-Type", "Content-Encoding", "X-Other");
  }
}
