package dev.weir.http.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RawUriBytesTest {
  /** From the same two bytes, a node reads two characters in the first case, one in the second. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /i/_doc/\u00c3\u00a9          | /i/_doc/%C3%83%C2%A9
          /i/_doc/a%20\u00c3\u00a9      | /i/_doc/a%20%C3%A9
          /i/_doc/a+\u00c3\u00a9        | /i/_doc/a+%C3%83%C2%A9
          /%20/\u00e9?\u00e9            | /%20/%C3%A9?%C3%A9
          /?q=a+\u00c3\u00a9&r=\u00ff   | /?q=a+%C3%A9&r=%C3%BF
          /?q=\u0080;%20\u00e9=\u00e9   | /?q=%C2%80;%20%E9=%C3%A9
          /?q=\u00e9=%20                | /?q=%E9=%20
          /?q=/%20?\u00e9               | /?q=/%20?%E9
          """)
  void escapesBytesAsANodeDecodesThem(String uri, String expected) {
    assertThat(RawUriBytes.escape(uri)).isEqualTo(expected);
  }

  @Test
  void leavesAsciiAsItIs() {
    String uri = "/i/_doc/%C3%A9?q=a+b%20~";
    assertThat(RawUriBytes.escape(uri)).isSameAs(uri);
  }

  @Test
  void leavesCharactersThatAreNoBytes() {
    assertThat(RawUriBytes.escape("/\u20ac/\u00e9")).isEqualTo("/\u20ac/%C3%A9");
  }
}
