package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.responses.columnar.TableStreamFactory.StreamFormat;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.rest.RestRequest;

final class ColumnarFormatTest {
  /** A request with a path, parameters and headers alone. */
  private static final class Request extends RestRequest {
    Request(Map<String, String> parameters, Map<String, List<String>> headers) {
      super(
          NamedXContentRegistry.EMPTY,
          new HashMap<>(parameters),
          "/docs/_search",
          headers,
          null,
          null);
    }

    @Override
    public Method method() {
      return Method.GET;
    }

    @Override
    public String uri() {
      return "/docs/_search";
    }

    @Override
    public boolean hasContent() {
      return false;
    }

    @Override
    public BytesReference content() {
      return BytesArray.EMPTY;
    }
  }

  private static RestRequest request(Map<String, String> parameters, @Nullable String accept) {
    return new Request(parameters, accept == null ? Map.of() : Map.of("Accept", List.of(accept)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/csv | CSV",
        "TEXT/CSV; charset=utf-8 | CSV",
        "application/vnd.apache.arrow.stream | ARROW",
        "application/vnd.weir.columnar+json | JSON",
        "application/json, text/csv | ",
        "application/json;q=0.5, text/csv | CSV",
        "text/csv;q=0.2, application/vnd.apache.arrow.stream;q=0.3 | ARROW",
        "text/csv;q=0 | ",
        "text/csv;q=broken | ",
        "text/csv;q=NaN | ",
        "*/* | ",
        "text/csv, */*;q=0.1 | CSV",
        "; , text/csv | CSV",
        ", | ",
      })
  void acceptsWhatTheClientPrefersToAnyOther(String accept, @Nullable ColumnarFormat expected) {
    assertThat(ColumnarFormat.accepted(request(Map.of(), accept))).isEqualTo(expected);
    assertThat(ColumnarFormat.fromRequest(request(Map.of(), accept))).isEqualTo(expected);
  }

  @Test
  void aParameterWinsOverTheHeader() {
    assertThat(ColumnarFormat.fromRequest(request(Map.of("columnar", "csv"), "*/*")))
        .isEqualTo(ColumnarFormat.CSV);
    assertThat(ColumnarFormat.fromRequest(request(Map.of("columnar", "false"), "text/csv")))
        .isNull();
    assertThat(ColumnarFormat.fromRequest(request(Map.of("columnar", "true"), "text/csv")))
        .isEqualTo(ColumnarFormat.CSV);
    assertThat(ColumnarFormat.fromRequest(request(Map.of("columnar", ""), null)))
        .isEqualTo(ColumnarFormat.JSON);
    assertThatThrownBy(() -> ColumnarFormat.fromRequest(request(Map.of("columnar", "CSV"), null)))
        .hasMessageContaining(
            "got [CSV] for [columnar] (expected: true, false, json, csv or arrow");
  }

  @Test
  void streamsAreLinesUnlessTheRequestSaysOtherwise() {
    assertThat(TableStreamFactory.parseFormat(request(Map.of(), null)))
        .isEqualTo(StreamFormat.NDJSON);
    assertThat(TableStreamFactory.parseFormat(request(Map.of(), "text/csv")))
        .isEqualTo(StreamFormat.CSV);
    assertThat(
            TableStreamFactory.parseFormat(request(Map.of(), "application/vnd.weir.columnar+json")))
        .isEqualTo(StreamFormat.NDJSON);
    assertThat(TableStreamFactory.parseFormat(request(Map.of("format", "arrow"), "text/csv")))
        .isEqualTo(StreamFormat.ARROW);
    assertThatThrownBy(() -> TableStreamFactory.parseFormat(request(Map.of("format", "xml"), null)))
        .hasMessage("got [xml] for [format] (expected: ndjson, csv or arrow)");
  }
}
