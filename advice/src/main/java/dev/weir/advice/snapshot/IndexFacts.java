package dev.weir.advice.snapshot;

import java.util.Map;

/**
 * An index.
 *
 * @param open whether it is not closed
 * @param size of its primaries
 * @param settings that differ from the defaults, flat
 * @param mapping its fields
 * @param rolledOver whether an alias or a data stream writes to a later index, and none to this one
 */
public record IndexFacts(
    String name,
    boolean open,
    Size size,
    Map<String, String> settings,
    Mapping mapping,
    boolean rolledOver) {

  /**
   * Size of the primaries of an index.
   *
   * @param shards how many primaries
   * @param replicas of each primary
   * @param deleted documents that segments still hold
   * @param indexed documents written since the shards were opened
   */
  public record Size(
      int shards,
      int replicas,
      long documents,
      long deleted,
      long bytes,
      long segments,
      long indexed) {}

  /**
   * What a mapping has.
   *
   * @param fields as {@code index.mapping.total_fields.limit} counts them: fields, their
   *     multi-fields, objects and aliases
   * @param dynamic what the mapping's root says about new fields; empty for the default
   */
  public record Mapping(int fields, String dynamic) {
    /** A mapping that was not read. */
    public static final Mapping UNKNOWN = new Mapping(-1, "");
  }

  /** Returns a setting's value. */
  public String setting(String key, String other) {
    return settings.getOrDefault(key, other);
  }

  /** Returns whether the index takes no documents: by a block, or because of a rollover. */
  public boolean isNoLongerWritten() {
    return rolledOver || setting("index.blocks.write", "").equals("true") || isReadOnly();
  }

  /** Returns whether a block refuses every change of the index, also of its settings. */
  public boolean isReadOnly() {
    return setting("index.blocks.read_only", "").equals("true");
  }

  /** Returns whether the index is one of OpenSearch or its plugins. */
  public boolean isSystem() {
    return name.startsWith(".") && !isBackingIndex();
  }

  /** Returns whether the index is one of those of a data stream. */
  public boolean isBackingIndex() {
    return name.startsWith(".ds-");
  }
}
