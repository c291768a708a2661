//! What rules cannot decide of the conversion to v1.

use codegen_runtime::conversion::BoxError;

use super::zz_generated_conversion::CronJobConversion;
use super::{CronJob, CronSchedule};

impl CronJobConversion for CronJob {
    fn cron_job_spec_schedule_to_hub(value: CronSchedule) -> Result<String, BoxError> {
        let fields = [
            value.minute,
            value.hour,
            value.day_of_month,
            value.month,
            value.day_of_week,
        ];
        let fields = fields.map(|field| field.unwrap_or_else(|| "*".to_owned()));
        Ok(fields.join(" "))
    }

    fn cron_job_spec_schedule_from_hub(value: String) -> Result<CronSchedule, BoxError> {
        let mut fields = value
            .split(' ')
            .map(|field| (field != "*").then(|| field.to_owned()));
        let mut next = || fields.next().flatten();
        Ok(CronSchedule {
            minute: next(),
            hour: next(),
            day_of_month: next(),
            month: next(),
            day_of_week: next(),
        })
    }
}
