package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.rest.AnswerForm.Outputs;
import dev.weir.model.HitsInPlace;
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
 * Hits as lines of JSON, each as in a plain answer, but for what tells nothing there: a score that
 * there is not, and what the hit is sorted by. Used by one thread.
 */
final class HitLines implements TableStream {
  private static final int PAGE = 16 << 10;

  private final JsonBytes json = new JsonBytes(256);
  private final JsonValues values = new JsonValues(json);
  private final PlaceText text = new PlaceText();
  private BytesStreamOutput out = new BytesStreamOutput(0);

  @Override
  public String contentType() {
    return "application/x-ndjson; charset=UTF-8";
  }

  @Override
  public BytesReference head(Outputs outputs) {
    return BytesArray.EMPTY;
  }

  @Override
  public List<BytesReference> page(
      FoundHits hits, int count, Map<String, String> told, Outputs outputs) throws IOException {
    out = outputs.open(PAGE);
    for (int i = 0; i < count; i++) {
      hits.write(i, this);
    }
    if (!told.isEmpty()) {
      json.clear();
      json.write('{');
      for (Map.Entry<String, String> each : told.entrySet()) {
        member(each.getKey());
        json.quote(each.getValue());
      }
      json.ascii("}\n");
      out.write(json.bytes(), 0, json.length());
    }
    return List.of(out.bytes());
  }

  /** Puts a hit that is no object. */
  void hit(HitsInPlace hits, int i) throws IOException {
    json.clear();
    json.ascii("{\"_index\":");
    json.write(text.index(hits.index(i)));
    int idLength = hits.idLength(i);
    if (idLength > 0) {
      member("_id");
      json.quote(hits.bytes(i), hits.idFrom(i), idLength);
    }
    float score = hits.score(i);
    if (!Float.isNaN(score)) {
      member("_score");
      json.write(text.score(score));
    }
    int sourceLength = hits.sourceLength(i);
    if (sourceLength > 0) {
      member("_source");
      out.write(json.bytes(), 0, json.length());
      json.clear();
      source(new BytesArray(hits.bytes(i), hits.sourceFrom(i), sourceLength));
    }
    json.ascii("}\n");
    out.write(json.bytes(), 0, json.length());
  }

  /** Puts a hit. */
  void hit(SearchHit hit) throws IOException {
    json.clear();
    json.ascii("{\"_index\":");
    json.quote(hit.getIndex());
    if (hit.getId() != null) {
      member("_id");
      json.quote(hit.getId());
    }
    if (hit.getVersion() != -1) {
      member("_version");
      values.put(hit.getVersion());
    }
    if (hit.getSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO) {
      member("_seq_no");
      values.put(hit.getSeqNo());
      member("_primary_term");
      values.put(hit.getPrimaryTerm());
    }
    if (!Float.isNaN(hit.getScore())) {
      member("_score");
      values.put(hit.getScore());
    }
    if (!hit.getMetaFields().isEmpty()) {
      metaFields(hit);
    }
    if (hit.hasSource()) {
      member("_source");
      out.write(json.bytes(), 0, json.length());
      json.clear();
      source(hit.getSourceRef());
    }
    if (!hit.getDocumentFields().isEmpty()) {
      member("fields");
      fields(hit);
    }
    if (hit.getMatchedQueries().length > 0) {
      member("matched_queries");
      values.put(Arrays.asList(hit.getMatchedQueries()));
    }
    json.ascii("}\n");
    out.write(json.bytes(), 0, json.length());
  }

  private void metaFields(SearchHit hit) throws IOException {
    for (DocumentField field : hit.getMetaFields().values()) {
      member(field.getName());
      values.put(
          field.getName().equals(IgnoredFieldMapper.NAME) ? field.getValues() : field.getValue());
    }
  }

  private void fields(SearchHit hit) throws IOException {
    char before = '{';
    for (DocumentField field : hit.getDocumentFields().values()) {
      json.write(before);
      before = ',';
      json.quote(field.getName());
      json.write(':');
      values.put(field.getValues());
    }
    json.write('}');
  }

  /** Begins a member, which is not the object's first unless nothing is there but its brace. */
  private void member(String name) {
    if (json.length() != 1) {
      json.write(',');
    }
    json.quote(name);
    json.write(':');
  }

  /** Puts a document, in one line. */
  private void source(BytesReference source) throws IOException {
    if (source.length() > 0 && source.get(0) == '{' && isOneLine(source)) {
      source.writeTo(out);
      return;
    }
    byte[] compact = compact(source).getBytes(StandardCharsets.UTF_8);
    out.write(compact, 0, compact.length);
  }

  private static boolean isOneLine(BytesReference source) throws IOException {
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

  @SuppressWarnings("deprecation") // a document does not say what it is: it is to be guessed
  private static String compact(BytesReference source) throws IOException {
    byte[] own = BytesReference.toBytes(source); // by what these begin with it is guessed
    return XContentHelper.convertToJson(new BytesArray(own), true, false);
  }

  @Override
  public BytesReference end() {
    return BytesArray.EMPTY;
  }

  @Override
  public BytesReference broken(String errorJson) {
    return new BytesArray(errorJson + "\n");
  }
}
