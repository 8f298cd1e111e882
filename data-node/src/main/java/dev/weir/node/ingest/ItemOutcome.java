package dev.weir.node.ingest;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.common.xcontent.XContentFactory;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/** What the pipelines made of one item. On the wire: a byte that names the kind, and its fields. */
sealed interface ItemOutcome extends Writeable {
  /** No pipeline applied to the item. On the wire: 0. */
  record Unchanged() implements ItemOutcome {
    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeByte((byte) 0);
    }
  }

  /**
   * The item is to be written as it is now. On the wire: 1, and the item as {@link
   * DocWriteRequest#writeDocumentRequest} writes it.
   */
  record Changed(DocWriteRequest<?> item) implements ItemOutcome {
    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeByte((byte) 1);
      DocWriteRequest.writeDocumentRequest(out, item);
    }
  }

  /**
   * A pipeline dropped the item. On the wire: 2, the operation as a byte, the response's index and
   * id as strings, and its version as a zlong.
   */
  record Dropped(OpType operation, UpdateResponse response) implements ItemOutcome {
    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeByte((byte) 2);
      out.writeByte(operation.getId());
      out.writeString(response.getIndex());
      out.writeString(response.getId());
      out.writeZLong(response.getVersion());
    }
  }

  /**
   * A pipeline failed on the item. On the wire: 3, the operation as a byte, index and id as
   * optional strings, the HTTP status as a vint, and the error's JSON with its length in front.
   *
   * <p>The error goes as the JSON that this node would show its own clients: the class of an
   * exception may get lost when it is sent to another node.
   */
  record Failed(
      OpType operation,
      @Nullable String index,
      @Nullable String id,
      RestStatus status,
      BytesReference error)
      implements ItemOutcome {
    static Failed of(OpType operation, @Nullable String index, @Nullable String id, Exception cause)
        throws IOException {
      try (XContentBuilder json = XContentFactory.jsonBuilder()) {
        json.startObject();
        OpenSearchException.generateThrowableXContent(json, ToXContent.EMPTY_PARAMS, cause);
        json.endObject();
        return new Failed(
            operation, index, id, ExceptionsHelper.status(cause), BytesReference.bytes(json));
      }
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeByte((byte) 3);
      out.writeByte(operation.getId());
      out.writeOptionalString(index);
      out.writeOptionalString(id);
      out.writeVInt(status.getStatus());
      out.writeBytesReference(error);
    }
  }
}
