package dev.weir.responses.columnar;

import dev.weir.core.reduce.hits.ScoreJsonCache;
import dev.weir.model.JsonBuffer;
import dev.weir.model.ZeroCopyHits;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.index.mapper.IgnoredFieldMapper;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/**
 * Writes hits as JSON lines. A line equals the hit in a plain response, without a missing score and
 * without sort values. Used by one thread.
 */
final class NdjsonHitStream implements TableStream {
  private static final int PAGE_BYTES = 16 << 10;

  private final JsonBuffer buffer = new JsonBuffer(256);
  private final JsonValueWriter values = new JsonValueWriter(buffer);
  private final ScoreJsonCache scoreJson = new ScoreJsonCache();
  private final boolean hasNamedQueryScores;
  private BytesStreamOutput out = new BytesStreamOutput(0);

  /**
   * Creates a stream.
   *
   * @param withNamedQueryScores hits have the scores of the named queries that they match
   */
  NdjsonHitStream(boolean withNamedQueryScores) {
    this.hasNamedQueryScores = withNamedQueryScores;
  }

  @Override
  public String contentType() {
    return "application/x-ndjson; charset=UTF-8";
  }

  @Override
  public BytesReference writeHeader(OutputFactory outputs) {
    return BytesArray.EMPTY;
  }

  @Override
  public List<BytesReference> writePage(
      ResponseHits hits, int count, Map<String, String> metadata, OutputFactory outputs)
      throws IOException {
    out = outputs.open(PAGE_BYTES);
    for (int i = 0; i < count; i++) {
      hits.writeLine(i, this);
    }
    if (!metadata.isEmpty()) {
      buffer.clear();
      buffer.write('{');
      for (Map.Entry<String, String> each : metadata.entrySet()) {
        writeMember(each.getKey());
        buffer.writeQuoted(each.getValue());
      }
      buffer.writeAscii("}\n");
      out.write(buffer.bytes(), 0, buffer.length());
    }
    return List.of(out.bytes());
  }

  /** Writes a hit in place, without creating an object. */
  void writeHit(ZeroCopyHits hits, int i) throws IOException {
    buffer.clear();
    buffer.writeAscii("{\"_index\":\"");
    buffer.writeAscii(hits.index(i));
    buffer.write('"');
    int idLength = hits.idLength(i);
    if (idLength > 0) {
      writeMember("_id");
      buffer.writeQuoted(hits.bytes(i), hits.idOffset(i), idLength);
    }
    float score = hits.score(i);
    if (!Float.isNaN(score)) {
      writeMember("_score");
      buffer.write(scoreJson.jsonOf(score));
    }
    int sourceLength = hits.sourceLength(i);
    if (sourceLength > 0) {
      writeMember("_source");
      out.write(buffer.bytes(), 0, buffer.length());
      buffer.clear();
      writeSource(new BytesArray(hits.bytes(i), hits.sourceOffset(i), sourceLength));
    }
    buffer.writeAscii("}\n");
    out.write(buffer.bytes(), 0, buffer.length());
  }

  void writeHit(SearchHit hit) throws IOException {
    buffer.clear();
    buffer.writeAscii("{\"_index\":");
    buffer.writeQuoted(hit.getIndex());
    if (hit.getId() != null) {
      writeMember("_id");
      buffer.writeQuoted(hit.getId());
    }
    if (hit.getVersion() != -1) {
      writeMember("_version");
      values.write(hit.getVersion());
    }
    if (hit.getSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO) {
      writeMember("_seq_no");
      values.write(hit.getSeqNo());
      writeMember("_primary_term");
      values.write(hit.getPrimaryTerm());
    }
    if (!Float.isNaN(hit.getScore())) {
      writeMember("_score");
      values.write(hit.getScore());
    }
    if (!hit.getMetaFields().isEmpty()) {
      writeMetaFields(hit);
    }
    if (hit.hasSource()) {
      writeMember("_source");
      out.write(buffer.bytes(), 0, buffer.length());
      buffer.clear();
      writeSource(hit.getSourceRef());
    }
    if (!hit.getDocumentFields().isEmpty()) {
      writeMember("fields");
      writeFields(hit);
    }
    if (hit.getMatchedQueries().length > 0) {
      writeMember("matched_queries");
      values.write(
          hasNamedQueryScores
              ? hit.getMatchedQueriesAndScores()
              : Arrays.asList(hit.getMatchedQueries()));
    }
    buffer.writeAscii("}\n");
    out.write(buffer.bytes(), 0, buffer.length());
  }

  private void writeMetaFields(SearchHit hit) throws IOException {
    for (DocumentField field : hit.getMetaFields().values()) {
      writeMember(field.getName());
      values.write(
          field.getName().equals(IgnoredFieldMapper.NAME) ? field.getValues() : field.getValue());
    }
  }

  private void writeFields(SearchHit hit) throws IOException {
    char before = '{';
    for (DocumentField field : hit.getDocumentFields().values()) {
      buffer.write(before);
      before = ',';
      buffer.writeQuoted(field.getName());
      buffer.write(':');
      values.write(field.getValues());
    }
    buffer.write('}');
  }

  /** Starts a member; a comma comes first unless the object is still empty. */
  private void writeMember(String name) {
    if (buffer.length() != 1) {
      buffer.write(',');
    }
    buffer.writeQuoted(name);
    buffer.write(':');
  }

  /** Writes a document in one line. */
  private void writeSource(BytesReference source) throws IOException {
    if (source.length() > 0 && source.get(0) == '{' && isSingleLine(source)) {
      source.writeTo(out);
      return;
    }
    byte[] compact = toCompactJson(source).getBytes(StandardCharsets.UTF_8);
    out.write(compact, 0, compact.length);
  }

  private static boolean isSingleLine(BytesReference source) throws IOException {
    BytesRefIterator parts = source.iterator();
    for (BytesRef part = parts.next(); part != null; part = parts.next()) {
      for (int i = part.offset; i < part.offset + part.length; i++) {
        byte b = part.bytes[i];
        if (b == '\n' || b == '\r') {
          return false;
        }
      }
    }
    return true;
  }

  @SuppressWarnings("deprecation") // a source has no media type: detect it
  private static String toCompactJson(BytesReference source) throws IOException {
    byte[] own = BytesReference.toBytes(source); // the first bytes determine the media type
    return XContentHelper.convertToJson(new BytesArray(own), true, false);
  }

  @Override
  public BytesReference writeEnd() {
    return BytesArray.EMPTY;
  }

  @Override
  public BytesReference writeError(String errorJson) {
    return new BytesArray(errorJson + "\n");
  }
}
