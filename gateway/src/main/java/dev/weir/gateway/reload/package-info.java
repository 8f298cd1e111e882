/**
 * Reads a changed configuration and puts it in force, completely or not at all. Runs on virtual
 * threads; requests read the result without a lock.
 */
@NullMarked
package dev.weir.gateway.reload;

import org.jspecify.annotations.NullMarked;
