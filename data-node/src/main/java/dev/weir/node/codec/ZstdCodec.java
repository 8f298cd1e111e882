package dev.weir.node.codec;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.FilterCodec;
import org.apache.lucene.codecs.StoredFieldsFormat;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.opensearch.common.settings.Setting;
import org.opensearch.index.codec.CodecAliases;
import org.opensearch.index.codec.CodecSettings;
import org.opensearch.index.engine.EngineConfig;

/**
 * Lucene's codec with the plugin's stored fields. Its name is in each segment; Lucene finds the
 * class that reads the segment by it, so a later codec gets another name and another class.
 */
public final class ZstdCodec extends FilterCodec implements CodecAliases, CodecSettings {
  /** What segments say: the plugin's stored fields, all else as in Lucene's codec 104. */
  static final String NAME = "WeirZstd104";

  private final StoredFieldsFormat storedFields;

  /** Makes the codec that reads; Lucene's service loader does. */
  public ZstdCodec() {
    this(new Lucene104Codec(), new ZstdStoredFieldsFormat());
  }

  ZstdCodec(Codec rest, StoredFieldsFormat storedFields) {
    super(NAME, rest);
    this.storedFields = storedFields;
  }

  @Override
  public StoredFieldsFormat storedFieldsFormat() {
    return storedFields;
  }

  /** Returns the values of {@code index.codec} that mean this codec. */
  @Override
  public Set<String> aliases() {
    return Arrays.stream(ChunkSize.values())
        .map(ChunkSize::codecName)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns whether an index with this codec may have the setting: the compression level. */
  @Override
  public boolean supports(Setting<?> setting) {
    return setting.equals(EngineConfig.INDEX_CODEC_COMPRESSION_LEVEL_SETTING);
  }
}
