package dev.weir.testkit.node;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.cluster.AbstractNamedDiffable;
import org.opensearch.cluster.NamedDiff;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * A custom of the cluster's metadata: one string. It is not written to disk, so that stock nodes
 * can take the data over.
 */
final class UnknownCustom extends AbstractNamedDiffable<Metadata.Custom>
    implements Metadata.Custom {
  static final String NAME = "weir_unknown_custom";

  private final String value;

  UnknownCustom(String value) {
    this.value = value;
  }

  UnknownCustom(StreamInput in) throws IOException {
    this(in.readString());
  }

  static NamedDiff<Metadata.Custom> readDiffFrom(StreamInput in) throws IOException {
    return readDiffFrom(Metadata.Custom.class, NAME, in);
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeString(value);
  }

  @Override
  public EnumSet<Metadata.XContentContext> context() {
    return EnumSet.of(Metadata.XContentContext.API);
  }

  @Override
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
    return builder.field("value", value);
  }

  @Override
  public String getWriteableName() {
    return NAME;
  }

  @Override
  public Version getMinimalSupportedVersion() {
    return Version.V_3_0_0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof UnknownCustom that && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(value);
  }
}
