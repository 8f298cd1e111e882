package dev.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.CountingHeaders;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeaderRemovalTest {
  @Test
  void removesAFewNames() {
    HttpHeaders headers = new DefaultHttpHeaders().add("A", 1).add("B", 2).add("a", 3).add("C", 4);
    HeaderRemoval.removeAll(headers, List.of(AsciiString.of("a"), "c", "d"));
    assertThat(headers.entries()).extracting(Object::toString).containsExactly("B=2");
  }

  @Test
  void removesManyNamesAtOnce() {
    CountingHeaders headers = new CountingHeaders();
    headers.add("First", "1");
    for (int i = 0; i < 4000; i++) {
      headers.add("a", i).add("X-Many", i);
    }
    headers.add("Last", "2");
    List<CharSequence> names = new ArrayList<>(Collections.nCopies(4000, "x-many"));
    names.add("absent");
    HeaderRemoval.removeAll(headers, names);

    assertThat(headers.removals()).isZero();
    assertThat(headers.names()).containsExactly("First", "a", "Last");
    assertThat(headers.getAll("A")).hasSize(4000).startsWith("0", "1").endsWith("3999");
    assertThat(headers.contains("x-many")).isFalse();
  }
}
