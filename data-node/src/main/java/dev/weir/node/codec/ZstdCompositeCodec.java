package dev.weir.node.codec;

import org.apache.lucene.codecs.StoredFieldsFormat;
import org.jspecify.annotations.Nullable;
import org.opensearch.index.codec.composite.composite104.Composite104Codec;
import org.opensearch.index.mapper.MapperService;

/** The codec of an index with a star tree: OpenSearch's, with the plugin's stored fields. */
public final class ZstdCompositeCodec extends Composite104Codec {
  /** What segments say. */
  static final String NAME = "WeirZstdComposite104";

  private final StoredFieldsFormat storedFields;

  /** Makes the codec that reads; Lucene's service loader does. */
  public ZstdCompositeCodec() {
    this(new Composite104Codec(), new ZstdStoredFieldsFormat(), null);
  }

  ZstdCompositeCodec(
      Composite104Codec rest, StoredFieldsFormat storedFields, @Nullable MapperService mapper) {
    super(NAME, rest, mapper);
    this.storedFields = storedFields;
  }

  @Override
  public StoredFieldsFormat storedFieldsFormat() {
    return storedFields;
  }
}
