package dev.weir.rest.bulk;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * A document of an ordinary bulk. Nodes get the same bytes as from OpenSearch's class, but those
 * that it has in common with other documents of its bulk are copied.
 */
final class BulkDocument extends IndexRequest {
  private final DocumentTemplates templates;

  BulkDocument(@Nullable String index, DocumentTemplates bulk) {
    super(index);
    this.templates = bulk;
  }

  @Override
  public void writeThin(StreamOutput out) throws IOException {
    DocumentTemplate template = templates.find(this, out.getVersion());
    if (template == null) {
      super.writeThin(out);
    } else {
      template.write(this, out);
    }
  }

  /** Writes the bytes with OpenSearch's own code. */
  void writeAsOpenSearch(StreamOutput out) throws IOException {
    super.writeThin(out);
  }
}
