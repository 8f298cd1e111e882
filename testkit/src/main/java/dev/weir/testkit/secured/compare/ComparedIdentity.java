package dev.weir.testkit.secured.compare;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.secured.Credentials;
import dev.weir.testkit.secured.SecuredUser;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The clients whose requests are compared: a user, or a user for whom another one acts. */
public enum ComparedIdentity {
  /** Reads by wildcard. */
  ORDERS_READER(SecuredUser.ORDERS_READER),
  /** Reads by alias. */
  ALIAS_READER(SecuredUser.ALIAS_READER),
  /** Reads and writes data streams. */
  STREAM_WRITER(SecuredUser.STREAM_WRITER),
  /** Sees some documents. */
  REGION_READER(SecuredUser.REGION_READER),
  /** Sees some fields. */
  FIELDS_READER(SecuredUser.FIELDS_READER),
  /** Sees hashes of a field. */
  MASKED_READER(SecuredUser.MASKED_READER),
  /** Sees some documents and fields, and hashes. */
  AUDITOR(SecuredUser.AUDITOR),
  /** Writes and reads nothing. */
  INDEXER(SecuredUser.INDEXER),
  /** The orders reader, for whom a user without rights acts. */
  IMPERSONATED(SecuredUser.IMPERSONATOR, SecuredUser.ORDERS_READER),
  /** A user without rights. */
  NOBODY(SecuredUser.NOBODY);

  private static final String IMPERSONATE = "opendistro_security_impersonate_as";

  private final SecuredUser user;
  private final @Nullable SecuredUser impersonated;

  ComparedIdentity(SecuredUser user) {
    this(user, null);
  }

  ComparedIdentity(SecuredUser user, @Nullable SecuredUser impersonated) {
    this.user = user;
    this.impersonated = impersonated;
  }

  /** Returns the headers that identify the client. */
  public Map<String, String> headers(Credentials credentials) {
    RestAccess access = credentials.password(user);
    return impersonated == null
        ? access.headers()
        : access.withHeader(IMPERSONATE, impersonated.username()).headers();
  }

  /** Returns whether no response may contain the name of a customer of the comparison's data. */
  boolean isWithoutCustomers() {
    return switch (this) {
      case FIELDS_READER, MASKED_READER, AUDITOR, INDEXER, STREAM_WRITER, NOBODY -> true;
      case ORDERS_READER, ALIAS_READER, REGION_READER, IMPERSONATED -> false;
    };
  }
}
