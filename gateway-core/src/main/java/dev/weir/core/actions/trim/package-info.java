/**
 * What is left out of the answers to searches, and what therefore is not asked of the nodes. Called
 * at a request's home; policies are changed on any thread.
 */
@NullMarked
package dev.weir.core.actions.trim;

import org.jspecify.annotations.NullMarked;
