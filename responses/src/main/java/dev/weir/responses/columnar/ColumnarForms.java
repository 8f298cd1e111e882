package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViews;
import dev.weir.cluster.IndexNames;
import dev.weir.rest.AnswerForm;
import dev.weir.rest.AnswerForms;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.rest.RestRequest;

/** Answers searches by columns where {@code columnar} or {@code Accept} asks for it. */
public final class ColumnarForms implements AnswerForms {
  private final IndexMappings mappings;
  private final SearchedIndices searched;

  /**
   * Makes them; types of columns are those of the newest view's mappings.
   *
   * @param names says where a search without hits went
   * @param writeables reads the ids of points in time
   */
  public ColumnarForms(ClusterViews views, IndexNames names, NamedWriteableRegistry writeables) {
    this.mappings = new IndexMappings(views);
    this.searched = new SearchedIndices(views, names, writeables);
  }

  @Override
  public @Nullable AnswerForm asked(RestRequest request) {
    Format format = Format.asked(request);
    return format == null ? null : ColumnarAnswer.of(format, request, mappings, searched);
  }
}
