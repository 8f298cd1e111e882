package dev.weir.bluegreen.dual;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.common.document.DocumentField;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.index.mapper.RoutingFieldMapper;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/** Reads current documents, also before a refresh. */
final class DocumentReader {
  private DocumentReader() {}

  /** Receives the document. */
  interface ResultHandler {
    void onResult(PendingWrite write, GetResponse response);
  }

  /** The stored routing of a document; null if it has none. */
  static @Nullable String routingOf(GetResponse found) {
    DocumentField field = found.getField(RoutingFieldMapper.NAME);
    Object routing = field == null ? null : field.getValue();
    return routing == null ? null : routing.toString();
  }

  /** The format of a document, detected by its first bytes. */
  @SuppressWarnings("deprecation") // a stored document has no media type
  static @Nullable MediaType detectMediaType(BytesReference source) {
    return MediaTypeRegistry.xContentType(source);
  }

  /** The request that reads the documents of some writes, with their sources if wanted. */
  static MultiGetRequest toRequest(List<PendingWrite> batch, boolean source) {
    MultiGetRequest request = new MultiGetRequest();
    for (PendingWrite write : batch) {
      RepairEntry.Document document = write.document();
      MultiGetRequest.Item item = new MultiGetRequest.Item(document.concreteIndex(), document.id());
      item.routing(document.sourceRouting());
      item.fetchSourceContext(
          source ? FetchSourceContext.FETCH_SOURCE : FetchSourceContext.DO_NOT_FETCH_SOURCE);
      request.add(item);
    }
    return request;
  }
}
