package dev.weir.gateway.columnar;

import dev.weir.gateway.cluster.ClusterViews;
import dev.weir.gateway.parse.AnswerForm;
import dev.weir.gateway.parse.AnswerForms;
import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestRequest;

/** Answers searches by columns where {@code columnar} or {@code Accept} asks for it. */
public final class ColumnarForms implements AnswerForms {
  private final IndexMappings mappings;

  /** Makes them; types of columns are those of the newest view's mappings. */
  public ColumnarForms(ClusterViews views) {
    this.mappings = new IndexMappings(views);
  }

  @Override
  public @Nullable AnswerForm asked(RestRequest request) {
    Format format = Format.asked(request);
    return format == null ? null : ColumnarAnswer.of(format, request, mappings);
  }
}
