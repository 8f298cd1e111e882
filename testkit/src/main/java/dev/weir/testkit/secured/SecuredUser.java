package dev.weir.testkit.secured;

import java.util.Locale;

/**
 * The internal users of a secured cluster, as {@code internal_users.yml} has them. The roles in
 * {@code roles.yml} say what each may do with the indices of {@link SecuredSampleData}.
 */
public enum SecuredUser {
  /** May do everything, and may change the security configuration through REST. */
  ADMIN,
  /** Reads all indices that match a wildcard. */
  ORDERS_READER,
  /** Reads what an alias names: the alias, and its index under its own name. */
  ALIAS_READER,
  /** Reads and writes the data stream. */
  STREAM_WRITER,
  /** Sees the documents of its own region: document-level security with a user's attribute. */
  REGION_READER,
  /** Sees some fields only: field-level security. */
  FIELDS_READER,
  /** Sees a hash in place of a field's value: field masking. */
  MASKED_READER,
  /** Has all three restrictions at once. */
  AUDITOR,
  /** Writes without reading. */
  INDEXER,
  /** May act as {@link #ORDERS_READER}, and has no rights of its own. */
  IMPERSONATOR,
  /** What a server of OpenSearch Dashboards is. */
  DASHBOARDS,
  /** A person who uses Dashboards in the tenant {@code analysts}. */
  ANALYST,
  /** Can log in, and nothing else. */
  NOBODY;

  /** Its name as a node knows it, such as {@code orders-reader}. */
  public String username() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Its password: {@code weir-} and its name. */
  public String password() {
    return "weir-" + username();
  }
}
