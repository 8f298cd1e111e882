package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.export.ExportCounts.End;
import dev.weir.responses.export.ExportFixture.Export;
import dev.weir.rest.RecordingExecutor.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.builder.SearchSourceBuilder.IndexBoost;

/** Searches for the last documents of shards, before the first page of an export. */
final class ShardMeasurementTest {
  private final ExportFixture exports = new ExportFixture(1, 4);

  @AfterEach
  void close() {
    exports.close();
  }

  @Test
  void matchesWhatThePagesMatch() {
    Export export =
        exports.start(
            "",
            "{\"query\":{\"term\":{\"a\":1}},\"post_filter\":{\"term\":{\"b\":2}},"
                + "\"min_score\":3,\"indices_boost\":[{\"logs\":2}]}");
    exports.openPit(export, 1);
    Call measure = exports.next();
    SearchRequest last = (SearchRequest) measure.request();
    exports.answer(export, measure, ExportFixture.page(false, 9));
    SearchRequest page = (SearchRequest) exports.next().request();

    assertThat(last.source().size()).isOne();
    assertThat(last.source().query()).isNotNull().isEqualTo(page.source().query());
    assertThat(last.source().postFilter()).isNotNull().isEqualTo(page.source().postFilter());
    for (SearchRequest each : new SearchRequest[] {last, page}) {
      assertThat(each.source().minScore()).isEqualTo(3f);
      IndexBoost boost = each.source().indexBoosts().getFirst();
      assertThat(boost.getIndex()).isEqualTo("logs");
      assertThat(boost.getBoost()).isEqualTo(2f);
    }
  }

  @Test
  void countsADefectBeforeTheFirstByteAsAFailure() {
    Export export = exports.start("", "{}");
    exports.openPit(export, 1);
    Call measure = exports.next();
    SearchResponse unsorted = ExportFixture.page(false, 9);
    unsorted.getHits().getAt(0).sortValues(new Object[0], new DocValueFormat[0]);
    export.http.eventLoop().execute(() -> measure.context().run(() -> measure.answer(unsorted)));
    export.http.runEventLoop();

    assertThat(export.http.reply().status()).isEqualTo(500);
    assertThat(exports.counts.countOf(End.FAILED)).isOne();
    assertThat(exports.counts.countOf(End.CLIENT_DISCONNECTED)).isZero();
    assertThat(exports.counts.active()).isZero();
  }
}
