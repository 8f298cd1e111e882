package dev.weir.responses.trim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.model.RequestContext;
import dev.weir.model.ResponseOptions.HitParts;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/** A trimmed response is counted and has a header. */
class ResponseTrimSpecTest {
  private static final FetchSourceContext FIELDS =
      new FetchSourceContext(true, new String[] {"title"}, new String[0]);

  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final TrimCounts counts = new TrimCounts("lean");

  @Test
  void answerSaysByWhichProfileItWasTrimmed() {
    new ResponseTrimSpec(Set.of(Part.SCORE), HitParts.ALL, null, counts).recordSearch(context, 3);
    assertThat(context.response().headers()).isEqualTo(Map.of("X-Weir-Trimmed", Set.of("lean")));
    assertThat(counts.trimmedResponses()).isEqualTo(1);
    assertThat(counts.skippedDocuments()).isZero();
  }

  @Test
  void documentsThatWereCutDownCount() {
    ResponseTrimSpec fields = new ResponseTrimSpec(Set.of(), HitParts.ALL, FIELDS, counts);
    fields.withWholeDocuments().recordSearch(context, 3);
    assertThat(context.response().headers()).isEmpty();
    assertThat(counts.trimmedResponses()).isZero();
    fields.recordSearch(context, 3);
    assertThat(context.response().headers()).containsKey("X-Weir-Trimmed");
    assertThat(counts.trimmedResponses()).isEqualTo(1);
  }

  @Test
  void onlyCountInDryRun() {
    new ResponseTrimSpec(Set.of(), HitParts.NO_SOURCE, null, counts).recordSearch(context, 3);
    ResponseTrimSpec.NONE.recordSearch(context, 3);
    assertThat(context.response().headers()).isEmpty();
    assertThat(counts.trimmedResponses()).isEqualTo(1);
    assertThat(counts.skippedDocuments()).isEqualTo(3);
  }
}
