package dev.weir.core.actions.authorization;

/**
 * The memory that answers of nodes, and what is derived from cluster views, may take for one
 * cluster: parts of the heap, whatever clients send. What is dropped is asked for, or derived,
 * again.
 */
final class CacheBounds {
  private static final int USERS_PART = 32;
  private static final int PERMISSIONS_PART = 64;
  private static final int DENIAL_REASONS_PART = 128;
  private static final int REQUIREMENTS_PART = 256;

  private CacheBounds() {}

  /** Bytes for users: 8 MB of a heap of 256 MB, for some two thousand clients. */
  static long ofUsers() {
    return Runtime.getRuntime().maxMemory() / USERS_PART;
  }

  /** Bytes for what users may do. */
  static long ofPermissions() {
    return Runtime.getRuntime().maxMemory() / PERMISSIONS_PART;
  }

  /** Bytes for what searches need, which no node is asked for. */
  static long ofRequirements() {
    return Runtime.getRuntime().maxMemory() / REQUIREMENTS_PART;
  }

  /** Bytes for the reasons of denials. */
  static long ofDenialReasons() {
    return Runtime.getRuntime().maxMemory() / DENIAL_REASONS_PART;
  }
}
