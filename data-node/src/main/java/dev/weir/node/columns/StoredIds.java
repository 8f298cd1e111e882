package dev.weir.node.columns;

import java.io.IOException;
import java.util.Set;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.StoredFieldVisitor;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.lucene.index.SequentialStoredFieldsLeafReader;
import org.opensearch.index.mapper.IdFieldMapper;
import org.opensearch.index.mapper.IgnoredFieldMapper;
import org.opensearch.index.mapper.RoutingFieldMapper;
import org.opensearch.index.mapper.Uid;

/**
 * Reads the ids of documents from stored fields, which is the only place that has them by document.
 * It reads no further than the id where it can. Used by one thread.
 */
final class StoredIds {
  /**
   * The largest average distance between documents at which whole chunks are decompressed one after
   * the other. Further apart, each document's own part of its chunk takes less.
   */
  private static final int DENSE_DISTANCE = 4;

  private static final int DENSE_COUNT = 10;

  private static final Set<String> OTHERS =
      Set.of(RoutingFieldMapper.NAME, IgnoredFieldMapper.NAME);

  private final DocumentReader documents;
  private final boolean readsOn;

  @FunctionalInterface
  private interface DocumentReader {
    void read(int doc, StoredFieldVisitor visitor) throws IOException;
  }

  /**
   * Creates a reader of one segment.
   *
   * @param count the number of documents to be read, in ascending order
   * @param span the distance between the first and the last of them
   */
  StoredIds(LeafReader reader, int count, int span) throws IOException {
    boolean isDense = count >= DENSE_COUNT && span / count <= DENSE_DISTANCE;
    this.documents =
        isDense && reader instanceof SequentialStoredFieldsLeafReader sequential
            ? sequential.getSequentialStoredFieldsReader()::document
            : reader.storedFields()::document;
    this.readsOn =
        OTHERS.stream().anyMatch(field -> reader.getFieldInfos().fieldInfo(field) != null);
  }

  /**
   * Returns the id of a document; null if it has none, or has a stored routing value or the names
   * of ignored fields, which a hit has too.
   */
  @Nullable String read(int doc) throws IOException {
    IdVisitor visitor = new IdVisitor(readsOn);
    documents.read(doc, visitor);
    return visitor.hasOthers ? null : visitor.id;
  }

  private static final class IdVisitor extends StoredFieldVisitor {
    private final boolean readsOn;
    private @Nullable String id;
    private boolean hasOthers;

    IdVisitor(boolean readsOn) {
      this.readsOn = readsOn;
    }

    @Override
    public Status needsField(FieldInfo field) {
      if (OTHERS.contains(field.name)) {
        hasOthers = true;
        return Status.STOP;
      }
      if (field.name.equals(IdFieldMapper.NAME)) {
        return Status.YES;
      }
      return id == null || readsOn ? Status.NO : Status.STOP;
    }

    @Override
    public void binaryField(FieldInfo field, byte[] value) {
      id = Uid.decodeId(value);
    }
  }
}
