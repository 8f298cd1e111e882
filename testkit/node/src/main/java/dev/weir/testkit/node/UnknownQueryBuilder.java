package dev.weir.testkit.node;

import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.search.Query;
import org.opensearch.core.ParseField;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.ConstructingObjectParser;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.index.query.AbstractQueryBuilder;
import org.opensearch.index.query.ExistsQueryBuilder;
import org.opensearch.index.query.QueryShardContext;

/** The query {@code {"weir_unknown_query": {"field": "name"}}}: documents that have the field. */
final class UnknownQueryBuilder extends AbstractQueryBuilder<UnknownQueryBuilder> {
  static final String NAME = "weir_unknown_query";

  private static final ParseField FIELD = new ParseField("field");
  private static final ConstructingObjectParser<UnknownQueryBuilder, Void> PARSER =
      new ConstructingObjectParser<>(NAME, args -> new UnknownQueryBuilder((String) args[0]));

  static {
    PARSER.declareString(ConstructingObjectParser.constructorArg(), FIELD);
    declareStandardFields(PARSER);
  }

  private final String field;

  UnknownQueryBuilder(String field) {
    this.field = field;
  }

  UnknownQueryBuilder(StreamInput in) throws IOException {
    super(in);
    this.field = in.readString();
  }

  static UnknownQueryBuilder fromXContent(XContentParser parser) throws IOException {
    return PARSER.parse(parser, null);
  }

  @Override
  protected void doWriteTo(StreamOutput out) throws IOException {
    out.writeString(field);
  }

  @Override
  protected void doXContent(XContentBuilder builder, Params params) throws IOException {
    builder.startObject(NAME).field(FIELD.getPreferredName(), field);
    printBoostAndQueryName(builder);
    builder.endObject();
  }

  @Override
  protected Query doToQuery(QueryShardContext context) throws IOException {
    return new ExistsQueryBuilder(field).toQuery(context);
  }

  @Override
  protected boolean doEquals(UnknownQueryBuilder other) {
    return field.equals(other.field);
  }

  @Override
  protected int doHashCode() {
    return Objects.hashCode(field);
  }

  @Override
  public String getWriteableName() {
    return NAME;
  }
}
