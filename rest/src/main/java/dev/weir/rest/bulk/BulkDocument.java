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

  /**
   * Makes copies of a document, without its source, that a node would be told the same about. The
   * document must not change any more.
   */
  static final class Copier {
    private final BulkDocument original;
    private final BytesReference written;

    Copier(BulkDocument original) {
      this.original = original;
      BytesReference source = original.source();
      original.source(BytesArray.EMPTY, XContentType.JSON);
      try (BytesStreamOutput out = new BytesStreamOutput()) {
        original.writeTo(out);
        this.written = out.copyBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // nothing is written outside of memory
      } finally {
        original.source(source, XContentType.JSON);
      }
    }

    /** Returns a copy, which shares the original's texts. */
    BulkDocument copy() {
      try {
        BulkDocument copy = new BulkDocument(written.streamInput(), original.templates);
        copy.index(original.index())
            .timeout(original.timeout())
            .setPipeline(original.getPipeline())
            .setFinalPipeline(original.getFinalPipeline())
            .setSystemIngestPipeline(original.getSystemIngestPipeline());
        return copy;
      } catch (IOException e) {
        throw new UncheckedIOException(e); // nothing is read outside of memory
      }
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
