package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.model.AnswerWish.HitParts;
import dev.weir.model.RequestContext;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/** An answer is counted, and says what it lacks, where it lacks something. */
class AnswerTrimTest {
  private static final FetchSourceContext FIELDS =
      new FetchSourceContext(true, new String[] {"title"}, new String[0]);

  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final TrimCounts counts = new TrimCounts("lean");

  @Test
  void answerSaysByWhichProfileItWasTrimmed() {
    new AnswerTrim(Set.of(Part.SCORE), HitParts.ALL, null, counts).answered(context, 3);
    assertThat(context.responseHeaders()).isEqualTo(Map.of("X-Weir-Trimmed", Set.of("lean")));
    assertThat(counts.answers()).isEqualTo(1);
    assertThat(counts.documents()).isZero();
  }

  @Test
  void documentsThatWereCutDownCount() {
    AnswerTrim fields = new AnswerTrim(Set.of(), HitParts.ALL, FIELDS, counts);
    fields.withWholeDocuments().answered(context, 3);
    assertThat(context.responseHeaders()).isEmpty();
    assertThat(counts.answers()).isZero();
    fields.answered(context, 3);
    assertThat(context.responseHeaders()).containsKey("X-Weir-Trimmed");
    assertThat(counts.answers()).isEqualTo(1);
  }

  @Test
  void whatNobodyReadsIsCountedOnly() {
    new AnswerTrim(Set.of(), HitParts.NO_SOURCE, null, counts).answered(context, 3);
    AnswerTrim.NONE.answered(context, 3);
    assertThat(context.responseHeaders()).isEmpty();
    assertThat(counts.answers()).isEqualTo(1);
    assertThat(counts.documents()).isEqualTo(3);
  }
}
