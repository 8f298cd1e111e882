package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.opensearch.search.builder.SearchSourceBuilder;

/** The columns that a search requests. */
class RequestedColumnsTest {
  @Test
  void recognizeFormattedColumns() {
    RequestedColumns asked =
        RequestedColumns.from(
            new SearchSourceBuilder()
                .fetchField("sold*", "yyyyMMdd")
                .fetchField("made")
                .docValueField("paid", "epoch_second")
                .docValueField("sent"));

    assertThat(asked.fieldNames()).containsExactly("made", "paid", "sent");
    assertThat(asked.isReformatted("sold.at")).isTrue();
    assertThat(asked.isReformatted("paid")).isTrue();
    assertThat(asked.isReformatted("made")).isFalse();
    assertThat(asked.isReformatted("sent")).isFalse();
    assertThat(RequestedColumns.NONE.isReformatted("sold")).isFalse();
  }
}
