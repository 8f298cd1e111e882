package dev.weir.rest.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.xcontent.XContentType;

class BodyMediaTypeTest {
  @Test
  void readKnownFormats() {
    assertThat(BodyMediaType.parse("application/json; charset=UTF-8")).isEqualTo(XContentType.JSON);
    assertThat(BodyMediaType.parse("application/cbor")).isEqualTo(XContentType.CBOR);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", ";", ";;; ;", ";charset", "/", "text/plain"})
  void takeNoFormatFromOtherHeaders(String header) {
    assertThat(BodyMediaType.parse(header)).isNull();
  }
}
