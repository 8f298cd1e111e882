package dev.weir.rest.bulk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * The documents of an ordinary bulk as positions in its body, and what all of them have in common.
 * A bulk of a thousand documents is a handful of arrays, in which the garbage collector has nothing
 * to trace. {@link #toRequest} creates OpenSearch's request of a document where one is needed.
 *
 * <p>All documents go to one index by one kind of operation; either all or none name their ids, in
 * ASCII. Confined to its request's event loop.
 */
public final class BulkLines {
  /** A node rejects longer ids. */
  static final int MAX_ID_BYTES = 512;

  private static final int INITIAL_DOCUMENTS = 16;
  private static final int GENERATED_ID_BYTES = 20;

  /**
   * What the documents have in common.
   *
   * @param index the name of their index, as the client gave it
   * @param create whether documents are created, and not overwritten
   * @param named whether the client named the ids
   */
  public record Traits(String index, boolean create, boolean named) {}

  private final byte[] body;
  private final Traits traits;
  private final DocumentTemplates templates;
  private int size;
  private long sourceBytes;
  private int[] sourceFrom = new int[INITIAL_DOCUMENTS];
  private int[] sourceLength = new int[INITIAL_DOCUMENTS];
  private byte[] idBytes;
  private int[] idFrom;
  private int[] idLength;

  /** One of the documents as planning left it; null before. */
  private @Nullable BulkDocument plannedSample;

  /** Makes requests of planned documents; null before the first. */
  private BulkDocument.@Nullable Copier copier;

  /** What the planned documents have in common as bytes, for the last version of a node. */
  private @Nullable DocumentTemplate template;

  private @Nullable Version templateVersion;

  /** Creates lines without documents. */
  public BulkLines(byte[] body, Traits traits) {
    this(body, traits, new DocumentTemplates());
  }

  BulkLines(byte[] body, Traits traits, DocumentTemplates templates) {
    this.body = body;
    this.traits = traits;
    this.templates = templates;
    this.idBytes = body;
    this.idFrom = new int[traits.named() ? INITIAL_DOCUMENTS : 0];
    this.idLength = new int[traits.named() ? INITIAL_DOCUMENTS : 0];
  }

  /** Returns whether a document has what these have in common. */
  boolean fits(String index, boolean create, boolean named) {
    return traits.create() == create && traits.named() == named && traits.index().equals(index);
  }

  /** Adds a document; the place of its id counts only if the documents name their ids. */
  public void add(int idStart, int idBytesHere, int sourceStart, int sourceBytesHere) {
    if (size == sourceFrom.length) {
      int larger = 2 * size;
      sourceFrom = Arrays.copyOf(sourceFrom, larger);
      sourceLength = Arrays.copyOf(sourceLength, larger);
      if (traits.named()) {
        idFrom = Arrays.copyOf(idFrom, larger);
        idLength = Arrays.copyOf(idLength, larger);
      }
    }
    sourceFrom[size] = sourceStart;
    sourceLength[size] = sourceBytesHere;
    if (traits.named()) {
      idFrom[size] = idStart;
      idLength[size] = idBytesHere;
    }
    sourceBytes += sourceBytesHere;
    size++;
  }

  /** Returns the number of documents. */
  public int size() {
    return size;
  }

  /** Returns the bytes of all documents. */
  long sourceBytes() {
    return sourceBytes;
  }

  /** Returns the name of the index, as the client gave it. */
  public String index() {
    return traits.index();
  }

  /** Returns whether the client named the ids. */
  public boolean hasIds() {
    return traits.named();
  }

  /** Returns the id of a document that has one. */
  public String id(int document) {
    return new String(idBytes, idFrom[document], idLength[document], StandardCharsets.ISO_8859_1);
  }

  /** Returns the length of a document's id. */
  public int idLength(int document) {
    return idLength[document];
  }

  /** Returns the array that has a document's id {@linkplain #idOffset at a position}. */
  public byte[] idBytes() {
    return idBytes;
  }

  /** Returns the position of a document's id. */
  public int idOffset(int document) {
    return idFrom[document];
  }

  /** Returns the bytes of a document. */
  public int sourceLength(int document) {
    return sourceLength[document];
  }

  /** Creates the request of a document: as the client sent it, or as planning left it. */
  public IndexRequest toRequest(int document) {
    BytesArray source = new BytesArray(body, sourceFrom[document], sourceLength[document]);
    BulkDocument planned = plannedSample;
    if (planned != null) {
      if (copier == null) {
        copier = new BulkDocument.Copier(planned);
      }
      return copier.copy().id(id(document)).source(source, XContentType.JSON);
    }
    IndexRequest request = new BulkDocument(traits.index(), templates);
    if (traits.named()) {
      request.id(id(document));
    }
    if (traits.create()) {
      request.create(true);
    }
    return request.source(source, XContentType.JSON);
  }

  /**
   * Makes a document's fields those of all, apart from id and source, and gives ids to documents
   * that have none.
   *
   * @param sample of {@link #toRequest}, and planned since
   * @param ids creates the ids, in ASCII
   */
  public void setPlanned(IndexRequest sample, Supplier<String> ids) {
    plannedSample = (BulkDocument) sample;
    copier = null;
    templateVersion = null;
    if (traits.named()) {
      return;
    }
    byte[] all = new byte[size * GENERATED_ID_BYTES];
    int[] from = new int[size];
    int[] length = new int[size];
    int end = 0;
    for (int document = 0; document < size; document++) {
      String id = ids.get();
      if (all.length - end < id.length()) {
        all = Arrays.copyOf(all, 2 * (all.length + id.length()));
      }
      from[document] = end;
      length[document] = id.length();
      end = copyAscii(id, all, end);
    }
    idBytes = all;
    idFrom = from;
    idLength = length;
  }

  @SuppressWarnings("deprecation") // the only access to a string's bytes without a copy
  private static int copyAscii(String text, byte[] into, int at) {
    text.getBytes(0, text.length(), into, at);
    return at + text.length();
  }

  /**
   * Writes a planned document as a node reads it within a bulk, without the shard: the bytes of
   * {@link IndexRequest#writeThin}.
   */
  public void writeThin(int document, StreamOutput out) throws IOException {
    BulkDocument planned = plannedSample;
    if (planned == null) {
      throw new IllegalStateException("got documents without a plan (expected: setPlanned first)");
    }
    DocumentTemplate common = templateFor(planned, out.getVersion());
    if (common == null) {
      toRequest(document).writeThin(out);
      return;
    }
    common.writeStart(out);
    out.writeVInt(idLength[document]);
    out.writeBytes(idBytes, idFrom[document], idLength[document]);
    common.writeMiddle(out);
    out.writeVInt(sourceLength[document]);
    out.writeBytes(body, sourceFrom[document], sourceLength[document]);
    common.writeEnd(out);
  }

  private @Nullable DocumentTemplate templateFor(BulkDocument planned, Version wire)
      throws IOException {
    if (!wire.equals(templateVersion)) {
      template = templates.findShared(planned, wire);
      templateVersion = wire;
    }
    return template;
  }
}
