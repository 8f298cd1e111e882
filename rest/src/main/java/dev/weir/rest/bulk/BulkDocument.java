package dev.weir.rest.bulk;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
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

  private BulkDocument(StreamInput in, DocumentTemplates bulk) throws IOException {
    super(in);
    this.templates = bulk;
  }

  /** Returns a copy without the source, which has everything that a node would be told. */
  BulkDocument copy() {
    BytesReference source = source();
    source(BytesArray.EMPTY, XContentType.JSON);
    try (BytesStreamOutput written = new BytesStreamOutput()) {
      writeTo(written);
      return new BulkDocument(written.bytes().streamInput(), templates);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // nothing is read or written outside of memory
    } finally {
      source(source, XContentType.JSON);
    }
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
