-- Whether a role may use the schema, and whether the caller may grant that.
SELECT has_schema_privilege(?, ?, 'USAGE') AS has, has_schema_privilege(?, 'USAGE WITH GRANT OPTION') AS grantable
