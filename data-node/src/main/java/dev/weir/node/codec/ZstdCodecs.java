package dev.weir.node.codec;

import com.github.luben.zstd.util.Native;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.jspecify.annotations.Nullable;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.codec.AdditionalCodecs;
import org.opensearch.index.codec.PerFieldMappingPostingFormatCodec;
import org.opensearch.index.codec.composite.composite104.Composite104Codec;
import org.opensearch.index.engine.EngineConfig;
import org.opensearch.index.mapper.MapperService;

/**
 * Makes the codecs that a shard writes with, by the names that {@code index.codec} takes. Reading
 * needs none of this: Lucene finds the codec by the name in the segment.
 */
public final class ZstdCodecs implements AdditionalCodecs {
  private static final Logger LOG = LogManager.getLogger(ZstdCodecs.class);

  private ZstdCodecs() {}

  /**
   * Returns the codecs if the index asks for one of them.
   *
   * @throws IllegalArgumentException if it does, and zstd's native library does not load on this
   *     node; the index is then not created, or its shard not started
   */
  public static Optional<AdditionalCodecs> of(IndexSettings index) {
    String name = index.getValue(EngineConfig.INDEX_CODEC_SETTING);
    if (ChunkSize.named(name).isEmpty() && !ZstdCodec.NAME.equals(name)) {
      return Optional.empty();
    }
    try {
      Native.load();
    } catch (LinkageError | RuntimeException failure) {
      throw new IllegalArgumentException(
          "cannot use [index.codec] [" + name + "]: zstd's native library does not load", failure);
    }
    return Optional.of(new ZstdCodecs());
  }

  @Override
  public Map<String, Codec> getCodecs(
      @Nullable MapperService mapper, IndexSettings index, Supplier<Codec> defaultCodec) {
    int level = index.getValue(EngineConfig.INDEX_CODEC_COMPRESSION_LEVEL_SETTING);
    Map<String, Codec> codecs = new LinkedHashMap<>();
    for (ChunkSize size : ChunkSize.values()) {
      codecs.put(size.codecName(), codec(mapper, new ZstdStoredFieldsFormat(size, level)));
    }
    return codecs;
  }

  private static Codec codec(@Nullable MapperService mapper, ZstdStoredFieldsFormat format) {
    if (mapper == null) {
      return new ZstdCodec(new Lucene104Codec(), format);
    }
    // The mode is that of stored fields, which the format replaces.
    Lucene104Codec.Mode mode = Lucene104Codec.Mode.BEST_SPEED;
    return mapper.isCompositeIndexPresent()
        ? new ZstdCompositeCodec(new Composite104Codec(mode, mapper, LOG), format, mapper)
        : new ZstdCodec(new PerFieldMappingPostingFormatCodec(mode, mapper, LOG), format);
  }
}
