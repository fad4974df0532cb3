ALTER TABLE `api_tokens` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `status_page_ids` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `allowed_networks` text;